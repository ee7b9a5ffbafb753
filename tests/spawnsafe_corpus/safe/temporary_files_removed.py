import os
import shutil
import tempfile
from torch.utils.data import DataLoader

handle, name = tempfile.mkstemp()
os.close(handle)
os.remove(name)
folder = tempfile.mkdtemp()
shutil.rmtree(folder)

if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1)))
