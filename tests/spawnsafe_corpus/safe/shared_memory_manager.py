from multiprocessing.managers import SharedMemoryManager

def main():
    with SharedMemoryManager() as manager:
        print(manager.SharedMemory(16))

if __name__ == "__main__":
    main()
