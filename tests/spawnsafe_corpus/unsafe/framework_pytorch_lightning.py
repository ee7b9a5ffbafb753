from pytorch_lightning import Trainer
from my_package import Data, Model


def run():
    Trainer(max_epochs=1).fit(Model(), datamodule=Data())


run()  # expect: SPS102
