from pathlib import Path
from torch.utils.data import DataLoader

LOG = Path("runs") / "log.txt"
if LOG.exists():
    LOG.unlink()  # expect: SPS602

if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1)))
