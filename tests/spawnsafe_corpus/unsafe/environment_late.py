import os

import numpy as np
import torch

os.environ["OMP_NUM_THREADS"] = "1"  # expect: SPS605
os.environ.setdefault("MKL_NUM_THREADS", "1")  # expect: SPS605
x = torch.zeros(1, device="cuda")  # expect: SPS401
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # expect: SPS605
print(np.ones(1), x)
