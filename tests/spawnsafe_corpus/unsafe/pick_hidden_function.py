from multiprocessing import Process

if __name__ == "__main__":

    def work():  # expect: SPS307
        print("working")

    process = Process(target=work)
    process.start()
