import threading
from multiprocessing import Process


class Worker(Process):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()  # expect: SPS303

    def run(self):
        print("running")


if __name__ == "__main__":
    worker = Worker()
    worker.start()
