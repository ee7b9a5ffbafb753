from collections import namedtuple
from multiprocessing import Pool


def stats(rows):
    Stats = namedtuple("Stats", "mean n")  # expect: SPS302
    return Stats(sum(rows) / len(rows), len(rows))


def show(s):
    return s.n


if __name__ == "__main__":
    with Pool(1) as pool:
        print(pool.map(show, [stats([1, 2])]))
