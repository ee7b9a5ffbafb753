from multiprocessing import Process, Queue


def produce(queue):
    queue.put("x" * 1_000_000)


def consume(queue):
    print(queue.get())


def main():
    queue, other = Queue(), Queue()
    process = Process(target=produce, args=(queue,))
    process.start()
    print(queue.get())
    process.join()
    reader = Process(target=consume, args=(other,))
    reader.start()
    other.put(1)
    reader.join()


if __name__ == "__main__":
    main()
