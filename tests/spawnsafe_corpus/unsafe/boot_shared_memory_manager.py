from multiprocessing.managers import SharedMemoryManager

manager = SharedMemoryManager()
manager.start()  # expect: SPS101
block = manager.SharedMemory(16)
manager.shutdown()
