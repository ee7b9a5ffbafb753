import multiprocessing as mp


def main():
    queue = mp.Queue()
    mp.set_start_method("spawn")  # expect: SPS202
    return queue


if __name__ == "__main__":
    main()
