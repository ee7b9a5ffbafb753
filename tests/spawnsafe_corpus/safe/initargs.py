from multiprocessing import Pool

def setup(fn):
    pass

def job(x):
    return x

if __name__ == "__main__":
    with Pool(2, initializer=setup, initargs=(abs,)) as pool:
        print(pool.map(job, [1]))
