from multiprocessing import Process, Queue


def produce(queue, count):
    queue.put([0] * count)


def main():
    queue = Queue()
    jobs = [Process(target=produce, args=(queue, 10)) for _ in range(2)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()  # expect: SPS706
    print([queue.get() for _ in jobs])


if __name__ == "__main__":
    main()
