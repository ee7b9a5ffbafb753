import multiprocessing as mp
import torch.multiprocessing as tmp
from concurrent.futures import ProcessPoolExecutor


def square(x):
    return x * x


with mp.get_context("spawn").Pool(2) as pool:  # expect: SPS101
    print(pool.map(square, [1, 2]))

executor = ProcessPoolExecutor()
future = executor.submit(square, 2)  # expect: SPS101
tmp.spawn(print, nprocs=2)  # expect: SPS101
manager = mp.Manager()  # expect: SPS101
