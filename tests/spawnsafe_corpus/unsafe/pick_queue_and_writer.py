import logging
import queue

from torch.utils.data import Dataset
from torch.utils.tensorboard import SummaryWriter


class Logged(Dataset):
    def __init__(self):
        self.waiting = queue.Queue()  # expect: SPS303
        self.writer = SummaryWriter("/runs")  # expect: SPS303
        self.handler = logging.StreamHandler()  # expect: SPS303
        self.log = logging.getLogger(__name__)

    def __getitem__(self, index):
        return index
