from accelerate import notebook_launcher


def train():
    print("training")


notebook_launcher(train, num_processes=2)  # expect: SPS102
