import pytest
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        return i


@pytest.fixture(params=[0, 2])
def loader(request):
    return DataLoader(Rows(), num_workers=request.param)


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_all(workers):
    assert len(list(DataLoader(Rows(), num_workers=workers))) == 2


def test_options():
    with pytest.raises(ValueError):
        DataLoader(Rows(), num_workers=0, prefetch_factor=2)
