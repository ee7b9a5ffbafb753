import multiprocessing


class Worker(multiprocessing.Process):
    def run(self):
        print("working")


worker = Worker()
worker.start()  # expect: SPS101
