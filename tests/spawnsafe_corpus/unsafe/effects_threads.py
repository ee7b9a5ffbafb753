import asyncio
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

from torch.utils.data import Dataset

POOL = ThreadPoolExecutor(4)  # expect: SPS601
OTHER = ThreadPool(4)  # expect: SPS601
LOOP = asyncio.new_event_loop()  # expect: SPS601


class Rows(Dataset):
    def __getitem__(self, index):
        return POOL.submit(abs, index).result()
