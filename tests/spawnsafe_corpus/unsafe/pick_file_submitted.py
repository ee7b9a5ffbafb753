from concurrent.futures import ProcessPoolExecutor

def job(f, x):
    return f.read(x)

def main():
    with ProcessPoolExecutor(2) as ex, open("/tmp/x") as f:  # expect: SPS304
        print(ex.submit(job, f, 1).result())

if __name__ == "__main__":
    main()
