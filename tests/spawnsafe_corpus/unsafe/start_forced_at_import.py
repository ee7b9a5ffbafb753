import multiprocessing

multiprocessing.set_start_method("spawn", force=True)  # expect: SPS204
