"""Tests start as the program does: before torch is imported."""

from name_each_attempt_of_torchrun.runtime.start import prepare_workers

prepare_workers()
