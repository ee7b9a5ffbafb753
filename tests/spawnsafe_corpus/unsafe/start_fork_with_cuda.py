import multiprocessing as mp

import torch


def main():
    mp.set_start_method("fork")  # expect: SPS205
    return torch.zeros(1, device="cuda")


if __name__ == "__main__":
    main()
