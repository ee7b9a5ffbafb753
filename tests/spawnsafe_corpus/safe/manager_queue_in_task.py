import multiprocessing as mp

def job(q, x):
    q.put(x)

def main():
    with mp.Manager() as manager, mp.Pool(2) as pool:
        q = manager.Queue()
        pool.starmap(job, [(q, 1), (q, 2)])

if __name__ == "__main__":
    main()
