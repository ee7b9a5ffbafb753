import trl
from my_model import data, reward

config = trl.GRPOConfig(output_dir="out", dataloader_num_workers=2)
trl.GRPOTrainer(model="m", reward_funcs=reward, args=config, train_dataset=data).train()  # expect: SPS102
