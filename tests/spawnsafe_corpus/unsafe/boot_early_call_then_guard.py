from multiprocessing import Process


def work():
    print("working")


process = Process(target=work)
process.start()  # expect: SPS101

if __name__ == "__main__":
    process.join()
