import argparse
import logging
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import AutoTokenizer, default_data_collator

logger = logging.getLogger(__name__)


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--num_proc", type=int, default=4)
    parser.add_argument("--workers", type=int, default=4)
    return parser.parse_args()


def main():
    args = parse_args()
    accelerator = Accelerator()
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
    raw = load_dataset("glue", "mrpc")

    def preprocess(examples):
        return tokenizer(examples["sentence1"], truncation=True)

    with accelerator.main_process_first():
        data = raw.map(preprocess, batched=True, num_proc=args.num_proc)
    loader = DataLoader(data["train"], shuffle=True, collate_fn=default_data_collator, batch_size=8, num_workers=args.workers)
    loader = accelerator.prepare(loader)
    for batch in tqdm(loader):
        print(batch)


if __name__ == "__main__":
    main()
