import torch

DEVICE = torch.device("cuda")


class Config:
    mean = torch.tensor([0.5]).to(DEVICE)  # expect: SPS401
