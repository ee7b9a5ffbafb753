import multiprocessing as mp

if __name__ == "__main__":
    mp.set_start_method("spawn")
    mp.set_start_method("forkserver")  # expect: SPS202
