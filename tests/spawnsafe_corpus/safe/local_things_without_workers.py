from torch.utils.data import DataLoader, Dataset


def test_loading():
    class Tiny(Dataset):
        def __init__(self):
            self.transform = lambda x: x

        def __len__(self):
            return 1

        def __getitem__(self, index):
            return self.transform(index)

    assert list(DataLoader(Tiny(), collate_fn=lambda rows: rows))
    assert list(DataLoader(Tiny(), num_workers=0, worker_init_fn=lambda n: None))
