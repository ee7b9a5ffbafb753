from transformers import Trainer, TrainingArguments
from my_package import model, data

args = TrainingArguments("out", dataloader_num_workers=4)
trainer = Trainer(model=model, args=args, train_dataset=data)
trainer.train()  # expect: SPS102
