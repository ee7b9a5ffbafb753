from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Pool, Process, current_process

from torch.utils.data import DataLoader


def inner(n):
    with Pool(1) as pool:
        return pool.map(abs, [n])


def careful(n):
    workers = 0 if current_process().daemon else 2
    return list(DataLoader([n], num_workers=workers))


def main():
    Process(target=inner, args=(1,)).start()
    with ProcessPoolExecutor() as executor:
        executor.submit(inner, 1)
    with Pool(2) as pool:
        pool.map(careful, [1])


if __name__ == "__main__":
    main()
