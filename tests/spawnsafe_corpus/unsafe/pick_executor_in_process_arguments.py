import threading
from multiprocessing import Process


def work(event):
    event.wait()


if __name__ == "__main__":
    event = threading.Event()  # expect: SPS303
    Process(target=work, args=(event,)).start()
