from ignite.engine import Engine
from torch.utils.data import DataLoader

def step(engine, batch):
    return batch

loader = DataLoader([1, 2])
Engine(step).run(loader, max_epochs=1)
