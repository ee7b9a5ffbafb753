from ignite.engine import create_supervised_trainer
from torch.utils.data import DataLoader
from net import model, optimizer, loss

loader = DataLoader([1], num_workers=2)
trainer = create_supervised_trainer(model, optimizer, loss)
trainer.run(loader, max_epochs=2)  # expect: SPS101
