import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor

def job(lock, x):
    with lock:
        return x

def main():
    lock = mp.Lock()  # expect: SPS303
    with ProcessPoolExecutor(2) as ex:
        print(ex.submit(job, lock, 1).result())

if __name__ == "__main__":
    main()
