from torch.utils.data import DataLoader

if __name__ == "__main__":

    def collate(rows):  # expect: SPS307
        return rows

    for batch in DataLoader([1], num_workers=1, collate_fn=collate):
        print(batch)
