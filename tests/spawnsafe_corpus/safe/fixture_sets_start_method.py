"""A test session is the application: it may set the start method as it likes."""

import multiprocessing

import pytest


@pytest.fixture(scope="session", autouse=True)
def start_method():
    multiprocessing.set_start_method("spawn", force=True)
