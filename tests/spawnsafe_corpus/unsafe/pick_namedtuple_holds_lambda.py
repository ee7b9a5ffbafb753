from typing import Callable, NamedTuple
from torch.utils.data import DataLoader, Dataset

class Step(NamedTuple):
    name: str
    run: Callable

class Steps(Dataset):
    def __init__(self):
        self.step = Step("double", lambda v: 2 * v)  # expect: SPS301

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.step.run(i)

if __name__ == "__main__":
    print(list(DataLoader(Steps(), num_workers=1)))
