import argparse
import multiprocessing
import sys


def main():
    print(getattr(sys, "frozen", False))
    argparse.ArgumentParser().parse_args()
    with multiprocessing.Pool(2) as pool:
        print(pool.map(abs, [1]))


if __name__ == "__main__":
    multiprocessing.freeze_support()
    main()
