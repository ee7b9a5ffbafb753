"""Fork where it is at its worst."""

import sys
from multiprocessing import set_start_method

import torch
from torch.utils.data import DataLoader


def main():
    if sys.platform == "darwin":
        set_start_method("fork")  # expect: SPS205
    loader = DataLoader(  # expect: SPS205
        range(10),
        num_workers=2,
        multiprocessing_context="fork" if torch.backends.mps.is_available() else None,
    )
    for batch in loader:
        print(batch)


if __name__ == "__main__":
    main()
