"""The decorator calls the function while the module loads."""
from torch.utils.data import DataLoader

def run_now(fn):
    fn()
    return fn

@run_now  # expect: SPS101
def job():
    print(list(DataLoader([1], num_workers=1)))
