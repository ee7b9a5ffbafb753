from concurrent.futures import ProcessPoolExecutor


def main():
    with ProcessPoolExecutor() as executor:
        return executor.submit(lambda: 1).result()  # expect: SPS301


if __name__ == "__main__":
    main()
