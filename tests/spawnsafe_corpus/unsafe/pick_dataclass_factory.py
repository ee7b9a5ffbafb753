import threading
from dataclasses import dataclass, field

from torch.utils.data import DataLoader


@dataclass
class Rows:
    rows: list
    lock: threading.Lock = field(default_factory=threading.Lock)  # expect: SPS303

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


if __name__ == "__main__":
    print(list(DataLoader(Rows([1]), num_workers=1)))
