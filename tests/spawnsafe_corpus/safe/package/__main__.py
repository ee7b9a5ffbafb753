from multiprocessing import Pool

with Pool(2) as pool:
    print(pool.map(abs, [-1]))
