from multiprocessing import Pool

def setup(fn):
    pass

def job(x):
    return x

if __name__ == "__main__":
    with Pool(2, initializer=setup, initargs=(lambda x: x,)) as pool:  # expect: SPS301
        print(pool.map(job, [1]))
