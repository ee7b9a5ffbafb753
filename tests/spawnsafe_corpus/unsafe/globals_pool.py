from multiprocessing import Pool

table = None


def look_up(key):
    return table[key]


if __name__ == "__main__":
    table = {"a": 1}  # expect: SPS206
    with Pool(2) as pool:
        print(pool.map(look_up, ["a"]))
