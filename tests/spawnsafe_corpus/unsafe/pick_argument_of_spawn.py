import threading
import torch.multiprocessing as mp

def run(rank, lock):
    with lock:
        print(rank)

if __name__ == "__main__":
    lock = threading.Lock()  # expect: SPS303
    mp.spawn(run, args=(lock,), nprocs=2)
