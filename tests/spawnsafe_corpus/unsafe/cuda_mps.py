import torch

scale = torch.tensor(1.0, device=torch.device("mps"))  # expect: SPS401
