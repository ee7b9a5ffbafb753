from fastai.vision.all import *

path = untar_data(URLs.PETS)
dls = ImageDataLoaders.from_name_func(path, get_image_files(path), lambda f: f[0].isupper())
learn = vision_learner(dls, resnet18, metrics=error_rate)
learn.fine_tune(1)  # expect: SPS102
