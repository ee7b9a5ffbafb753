from lightning.pytorch import Trainer
from sklearn.linear_model import LinearRegression
from torch.utils.data import DataLoader
from ultralytics import YOLO

model = LinearRegression().fit([[1]], [1])
results = YOLO("yolo11n.pt").predict("bus.jpg")
YOLO("yolo11n.pt").train(data="coco8.yaml", workers=0)
trainer = Trainer()
trainer.fit(model, DataLoader([1]))


def main():
    YOLO("yolo11n.pt").train(data="coco8.yaml")
    trainer.fit(model, DataLoader([1], num_workers=4))


if __name__ == "__main__":
    main()
