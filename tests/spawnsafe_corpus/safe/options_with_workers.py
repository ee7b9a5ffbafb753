from torch.utils.data import DataLoader


def make(data, num_workers=0, **more):
    extra = {"prefetch_factor": 2, "persistent_workers": True} if num_workers else {}
    first = DataLoader(data, num_workers=num_workers, **extra)
    second = DataLoader(data, num_workers=2, prefetch_factor=4, persistent_workers=True)
    third = DataLoader(data, num_workers=num_workers, persistent_workers=num_workers > 0)
    fourth = DataLoader(data, prefetch_factor=2, **more)
    workers = 0
    fifth = DataLoader(
        data,
        num_workers=workers,
        prefetch_factor=2 if workers else None,
        persistent_workers=bool(workers),
        timeout=0,
        multiprocessing_context="spawn" if workers > 0 else None,
    )
    return first, second, third, fourth, fifth
