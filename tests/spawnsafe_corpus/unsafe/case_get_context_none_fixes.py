"""get_context() without a name fixes the default for good."""
import multiprocessing as mp
if __name__ == "__main__":
    mp.get_context()
    mp.set_start_method("fork")  # expect: SPS202
