import argparse
import multiprocessing

parser = argparse.ArgumentParser()
args = parser.parse_args()  # expect: SPS603

if __name__ == "__main__":
    multiprocessing.freeze_support()  # expect: SPS502
    multiprocessing.Process(target=print).start()
