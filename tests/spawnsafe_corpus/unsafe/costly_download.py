from torch.utils.data import DataLoader
from torchvision.datasets import MNIST
from transformers import AutoModel

data = MNIST("/data", download=True)  # expect: SPS103
model = AutoModel.from_pretrained("bert-base-uncased")  # expect: SPS103


def main():
    for batch in DataLoader(data, num_workers=4):
        model(batch)


if __name__ == "__main__":
    main()
