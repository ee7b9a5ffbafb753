from torch.utils.data import DataLoader


def collate(samples):
    return [sample * factor for sample in samples]


if __name__ == "__main__":
    factor = 3  # expect: SPS206
    print(list(DataLoader([1], num_workers=1, collate_fn=collate)))
