import torch


def pick():
    if torch.cuda.is_available():
        return "cuda"
    return "cpu"


net = torch.nn.Linear(1, 1).to(pick())  # expect: SPS401, SPS403
