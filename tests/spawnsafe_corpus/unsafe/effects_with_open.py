from multiprocessing import Pool

with open("/tmp/results.txt", mode="w") as out:  # expect: SPS602
    out.write("begin\n")


def main():
    with Pool(2) as pool:
        pool.map(abs, [1])


if __name__ == "__main__":
    main()
