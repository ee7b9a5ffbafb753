import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor

def setup(lock):
    pass

def job(x):
    return x

def main():
    ctx = mp.get_context("spawn")
    lock = ctx.Lock()
    with ProcessPoolExecutor(2, mp_context=ctx, initializer=setup, initargs=(lock,)) as ex:
        print(list(ex.map(job, [1])))

if __name__ == "__main__":
    main()
