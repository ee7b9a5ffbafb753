import multiprocessing as mp

CONTEXT = mp.get_context("spawn")


def work(lock, queue):
    with lock:
        queue.put(1)


if __name__ == "__main__":
    lock, queue = CONTEXT.Lock(), CONTEXT.Queue()
    process = CONTEXT.Process(target=work, args=(lock, queue))
    process.start()
    print(queue.get())
    process.join()
