"""The data sets can be sent to worker processes, and give the samples that they promise."""

import pickle

import pytest
import torch

from name_each_attempt_of_torchrun.config import project_folder
from name_each_attempt_of_torchrun.data import make_dataset
from name_each_attempt_of_torchrun.runtime.batches import MapDataset

DATA_DIR = project_folder() / "data"
SPLITS = ("train", "validation", "test")
PICKLE_LIMIT_BYTES = 1_000_000
"""Each worker receives a pickled copy: large arrays belong in files, not on the data set."""


@pytest.fixture(params=SPLITS)
def dataset(request: pytest.FixtureRequest) -> MapDataset:
    return make_dataset(DATA_DIR, request.param, augment=request.param == "train")


def test_pickles_before_and_after_a_sample_was_read(dataset: MapDataset) -> None:
    # Handles that are opened on first use break the second one, unless __getstate__ drops them.
    for _ in range(2):
        pickled = pickle.dumps(dataset)
        assert len(pickled) < PICKLE_LIMIT_BYTES
        copy = pickle.loads(pickled)
        assert len(copy) == len(dataset)
        image, label = copy[0]
        assert (image.shape, image.dtype) == ((1, 8, 8), torch.float32)
        assert label == dataset[0][1]


def test_samples_are_as_promised(dataset: MapDataset) -> None:
    for index in range(0, len(dataset), 25):
        image, label = dataset[index]
        assert image.min() >= 0 and image.max() <= 1
        assert label in range(10)


def test_a_missing_folder_is_named(tmp_path) -> None:
    with pytest.raises(Exception, match="expected") as caught:
        make_dataset(tmp_path, "train")
    assert str(tmp_path) in str(caught.value)
