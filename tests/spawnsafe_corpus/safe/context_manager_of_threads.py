from contextlib import contextmanager
from concurrent.futures import ThreadPoolExecutor

@contextmanager
def pool():
    with ThreadPoolExecutor(2) as ex:
        yield ex

with pool() as ex:
    print(list(ex.map(abs, [1, 2])))
