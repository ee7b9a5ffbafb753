from torch import multiprocessing

multiprocessing.set_start_method("spawn")  # expect: SPS201
