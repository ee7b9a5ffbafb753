import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch  # noqa: E402

os.environ["MY_SETTING"] = "1"
os.environ["CUDA_LAUNCH_BLOCKING"] = "1"


def launch(command):
    os.environ["OMP_NUM_THREADS"] = "1"
    return command, torch.__version__
