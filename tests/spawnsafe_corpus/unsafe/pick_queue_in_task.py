import multiprocessing as mp

def job(q, x):
    q.put(x)

def main():
    q = mp.Queue()  # expect: SPS303
    with mp.Pool(2) as pool:
        pool.starmap(job, [(q, 1), (q, 2)])

if __name__ == "__main__":
    main()
