import lightning as L
from my_package import Data, Model

trainer = L.Trainer(max_epochs=1)
trainer.fit(Model(), Data())  # expect: SPS102
