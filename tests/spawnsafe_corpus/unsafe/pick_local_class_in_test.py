from torch.utils.data import DataLoader, Dataset


def test_loading():
    class Tiny(Dataset):  # expect: SPS302
        def __len__(self):
            return 1

        def __getitem__(self, index):
            return index

    assert list(DataLoader(Tiny(), num_workers=2))
