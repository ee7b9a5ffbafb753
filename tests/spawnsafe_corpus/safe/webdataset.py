import webdataset as wds


def decode(sample):
    return sample["jpg"], sample["cls"]


def build(urls, workers):
    data = wds.WebDataset(urls, shardshuffle=True, nodesplitter=wds.split_by_node).decode("pil").map(decode)
    return wds.WebLoader(data.batched(8), batch_size=None, num_workers=workers)


if __name__ == "__main__":
    for batch in build("/data/{000..010}.tar", 4):
        print(batch)
