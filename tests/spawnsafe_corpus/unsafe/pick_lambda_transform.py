from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def main():
    steps = transforms.Compose(
        [
            transforms.ToTensor(),
            transforms.Lambda(lambda x: x.view(-1)),  # expect: SPS301
        ]
    )
    data = datasets.MNIST("/data", transform=steps)
    for batch in DataLoader(data, batch_size=64, num_workers=4):
        print(batch)


if __name__ == "__main__":
    main()
