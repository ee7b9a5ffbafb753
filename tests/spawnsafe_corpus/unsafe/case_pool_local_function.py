from multiprocessing import Pool

def main():
    def half(x):  # expect: SPS302
        return x / 2
    with Pool(1) as pool:
        print(pool.map(half, [1, 2]))

if __name__ == "__main__":
    main()
