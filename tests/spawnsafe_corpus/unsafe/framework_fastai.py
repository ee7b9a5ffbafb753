from fastai.vision.all import *
from fastai.vision.all import vision_learner, resnet18
from my_package import dls

learn = vision_learner(dls, resnet18)
learn.fine_tune(1)  # expect: SPS102
