import os

import transformers

if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"  # expect: SPS605
    print(transformers.__version__)
