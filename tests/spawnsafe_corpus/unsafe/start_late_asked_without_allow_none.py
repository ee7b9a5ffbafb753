import multiprocessing as mp

if __name__ == "__main__":
    if mp.get_start_method() != "spawn":
        mp.set_start_method("spawn")  # expect: SPS202
