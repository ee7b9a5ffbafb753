"""cuInit runs inside is_available(): enough to spoil a later fork."""
import torch

def get_device():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")

device = get_device()  # expect: SPS403
weights = torch.zeros(1, device=device)  # expect: SPS401
raise SystemExit(3)
