from torch.utils.data import DataLoader

def with_data(fn):
    for b in DataLoader([1], num_workers=2):
        fn(b)
    return fn

@with_data  # expect: SPS101
def show(b):
    print(b)
