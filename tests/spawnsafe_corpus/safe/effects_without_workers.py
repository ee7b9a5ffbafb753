import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor

POOL = ThreadPoolExecutor(2)
args = argparse.ArgumentParser().parse_args()
with open("/tmp/log.txt", "w") as log:
    log.write("begin")
os.makedirs(f"/tmp/{time.time()}")
