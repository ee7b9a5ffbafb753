import torch
from torch.utils.data import DataLoader, Dataset

CPU = torch.device("cpu")
DEVICE = torch.device("cuda")
NAME = "cuda:0"
COUNT = torch.cuda.device_count()
WEIGHTS = torch.ones(3, device=CPU)
torch.cuda.manual_seed(1)
torch.backends.cudnn.benchmark = True


class Rows(Dataset):
    def __init__(self, device="cpu"):
        self.device = device

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return torch.tensor(index).to(self.device).to(torch.float32)


def main():
    model = torch.nn.Linear(1, 1).cuda()
    for batch in DataLoader(Rows(), num_workers=1):
        model(batch.to(DEVICE))


if __name__ == "__main__":
    main()
