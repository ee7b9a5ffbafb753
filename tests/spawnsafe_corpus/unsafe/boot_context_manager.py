from contextlib import contextmanager
from concurrent.futures import ProcessPoolExecutor

@contextmanager
def pool():
    with ProcessPoolExecutor(2) as ex:
        yield ex

with pool() as ex:
    print(list(ex.map(abs, [1, 2])))  # expect: SPS101
