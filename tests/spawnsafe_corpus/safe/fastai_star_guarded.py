from fastai.vision.all import *

def is_cat(name):
    return name[0].isupper()

if __name__ == "__main__":
    path = untar_data(URLs.PETS)
    dls = ImageDataLoaders.from_name_func(path, get_image_files(path), is_cat)
    learn = vision_learner(dls, resnet18, metrics=error_rate)
    learn.fine_tune(1)
