import multiprocessing as mp
import sys

import torch


def main():
    if sys.platform == "linux":
        mp.set_start_method("forkserver")
    else:
        mp.set_start_method("spawn")
    queue = mp.Queue()
    return queue, torch.zeros(1, device="cuda")


def careful():
    if sys.platform == "linux" and not torch.cuda.is_available():
        return mp.get_context("fork")
    return mp.get_context("spawn")


if __name__ == "__main__":
    main()
