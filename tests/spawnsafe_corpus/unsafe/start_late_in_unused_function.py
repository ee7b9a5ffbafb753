import multiprocessing as mp


def main():
    lock = mp.Lock()
    mp.set_start_method("spawn")  # expect: SPS202
    return lock
