from torch.utils.data import DataLoader


def build(data, **options):
    workers = options.pop("workers", 2)
    return DataLoader(data, num_workers=workers, **options)


for b in build([1], batch_size=1):  # expect: SPS101
    print(b)
