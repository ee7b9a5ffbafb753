from ignite.engine import Engine, Events
from torch.utils.data import DataLoader

def step(engine, batch):
    return batch

def main():
    trainer = Engine(step)

    @trainer.on(Events.EPOCH_COMPLETED)
    def log(engine):
        print(engine.state.epoch)

    trainer.run(DataLoader([1], num_workers=2), max_epochs=2)

if __name__ == "__main__":
    main()
