import torch
from torch import nn

model = nn.Linear(2, 2).cuda()  # expect: SPS401
weights = torch.ones(3, device="cuda:0")  # expect: SPS401
torch.cuda.set_device(0)  # expect: SPS401
