from multiprocessing.managers import BaseManager

class Counter:
    def __init__(self):
        self.n = 0

class MyManager(BaseManager):
    pass

MyManager.register("Counter", Counter)

with MyManager() as m:  # expect: SPS101
    print(m.Counter())
