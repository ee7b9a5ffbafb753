import logging
import logging.handlers
import multiprocessing as mp


def work(queue, i):
    root = logging.getLogger()
    root.addHandler(logging.handlers.QueueHandler(queue))
    root.warning("hi %d", i)


def main():
    ctx = mp.get_context("spawn")
    queue = ctx.Queue()
    listener = logging.handlers.QueueListener(queue, logging.StreamHandler())
    listener.start()
    jobs = [ctx.Process(target=work, args=(queue, i)) for i in range(2)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    listener.stop()


if __name__ == "__main__":
    main()
