from multiprocessing import Process

SETTINGS = {"size": 1}


def work():
    print(SETTINGS["size"])


def main():
    SETTINGS["size"] = 5  # expect: SPS206
    process = Process(target=work)
    process.start()
    process.join()


if __name__ == "__main__":
    main()
