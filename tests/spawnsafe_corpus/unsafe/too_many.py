from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Pool

from torch.utils.data import DataLoader


def main(data):
    with Pool(64) as pool, ProcessPoolExecutor(max_workers=100) as executor:  # expect: SPS705
        print(pool, executor)
    return DataLoader(data, num_workers=96)  # expect: SPS705
