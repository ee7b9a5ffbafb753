from datasets import load_dataset


def add(example):
    return example


rows = load_dataset("imdb", split="train")
rows = rows.map(add, num_proc=4)  # expect: SPS102
