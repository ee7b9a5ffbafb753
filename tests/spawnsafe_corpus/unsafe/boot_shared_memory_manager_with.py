from multiprocessing.managers import SharedMemoryManager

with SharedMemoryManager() as manager:  # expect: SPS101
    print(manager.SharedMemory(16))
