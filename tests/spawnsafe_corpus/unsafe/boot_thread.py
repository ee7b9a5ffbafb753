import threading
from torch.utils.data import DataLoader

def train():
    for b in DataLoader([1], num_workers=2):
        print(b)

t = threading.Thread(target=train)
t.start()  # expect: SPS101, SPS601
t.join()
