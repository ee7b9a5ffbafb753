from torch.optim.swa_utils import AveragedModel, update_bn
from torch.utils.data import DataLoader
from net import model

loader = DataLoader([1], num_workers=4)
update_bn(loader, AveragedModel(model))  # expect: SPS101
