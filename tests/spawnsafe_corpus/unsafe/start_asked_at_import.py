import multiprocessing

CONTEXT = multiprocessing.get_context()  # expect: SPS207
METHOD = multiprocessing.get_start_method()  # expect: SPS207
