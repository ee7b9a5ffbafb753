from multiprocessing import Pool

def job(x):
    return x

def main():
    out = []
    with Pool(2) as pool:
        for n in range(3):
            pool.apply_async(job, (n,), callback=lambda r: out.append(r), error_callback=lambda e: print(e))
        pool.close()
        pool.join()

if __name__ == "__main__":
    main()
