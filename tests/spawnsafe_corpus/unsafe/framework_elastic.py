from torch.distributed.launcher.api import LaunchConfig, elastic_launch
from train import run

elastic_launch(LaunchConfig(1, 1, 2), run)()  # expect: SPS102
