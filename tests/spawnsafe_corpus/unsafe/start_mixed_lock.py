import multiprocessing as mp


def work(lock):
    with lock:
        print("working")


if __name__ == "__main__":
    lock = mp.Lock()  # expect: SPS203
    process = mp.get_context("spawn").Process(target=work, args=(lock,))
    process.start()
    process.join()
