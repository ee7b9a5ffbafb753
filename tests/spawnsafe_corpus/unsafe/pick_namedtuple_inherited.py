from collections import namedtuple
from torch.utils.data import DataLoader, Dataset

class Step(namedtuple("StepBase", "name fn")):
    __slots__ = ()

class Rows(Dataset):
    def __init__(self):
        self.step = Step("x", lambda v: v)  # expect: SPS301

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.step.fn(i)

if __name__ == "__main__":
    print(list(DataLoader(Rows(), num_workers=1)))
