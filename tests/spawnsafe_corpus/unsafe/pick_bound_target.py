import threading
from multiprocessing import Process


class Server:
    def __init__(self):
        self.lock = threading.Lock()  # expect: SPS303

    def run(self):
        print("running")

    def start(self):
        process = Process(target=self.run)
        process.start()


if __name__ == "__main__":
    Server().start()
