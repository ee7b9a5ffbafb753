import glob
import os
from torch.utils.data import DataLoader

for name in glob.glob("runs/*.pt"):
    os.remove(name)  # expect: SPS602

if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1)))
