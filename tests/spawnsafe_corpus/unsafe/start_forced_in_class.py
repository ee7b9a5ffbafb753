import multiprocessing as mp


class Engine:
    def __init__(self):
        mp.set_start_method("spawn", True)  # expect: SPS204
