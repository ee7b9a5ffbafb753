from multiprocessing import Process

jobs = [Process(target=print, args=(n,)) for n in range(2)]
for job in jobs:
    job.start()  # expect: SPS101
for job in jobs:
    job.join()
