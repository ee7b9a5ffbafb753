import sys
from multiprocessing import Pool
from pathlib import Path

HERE = Path(getattr(sys, "_MEIPASS", Path(__file__).parent))


def main():
    with Pool(2) as pool:
        print(pool.map(abs, [1]))


if __name__ == "__main__":  # expect: SPS501
    main()
