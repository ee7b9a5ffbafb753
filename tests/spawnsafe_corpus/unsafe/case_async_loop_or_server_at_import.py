"""An import-time background thread: nothing fails here, but any forked or
fork-server child inherits its locks without the thread."""
import threading
import time
from torch.utils.data import DataLoader

STOP = threading.Event()
threading.Thread(target=STOP.wait, daemon=True).start()  # expect: SPS601

if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1)), threading.active_count(), "threads at the fork")
    raise SystemExit(3)
