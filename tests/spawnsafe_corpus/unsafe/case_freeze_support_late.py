"""Frozen entry point: freeze_support comes after work has started."""
import argparse
import multiprocessing

def main():
    argparse.ArgumentParser().parse_args()
    multiprocessing.freeze_support()  # expect: SPS502

if __name__ == "__main__":
    print("loading a big model")
    main()
