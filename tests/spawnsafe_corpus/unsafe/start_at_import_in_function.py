from multiprocessing import set_start_method


def configure():
    set_start_method("forkserver")


configure()  # expect: SPS201
