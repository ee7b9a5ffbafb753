import contextlib
import multiprocessing as mp
import sys

CONTEXT = mp.get_context("spawn")
if mp.get_start_method(allow_none=True) is None:
    mp.set_start_method("spawn")
try:
    mp.set_start_method("spawn")
except RuntimeError:
    pass
with contextlib.suppress(RuntimeError):
    mp.set_start_method("spawn")


def main():
    mp.set_start_method("spawn", force=True)
    lock = mp.Lock()
    process = mp.Process(target=print, args=(lock,))
    process.start()
    process.join()


if __name__ == "__main__":
    mp.freeze_support()
    main()
