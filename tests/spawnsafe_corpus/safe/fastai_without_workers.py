from fastai.vision.all import ImageDataLoaders, resnet18, vision_learner

dls = ImageDataLoaders.from_folder("/data", num_workers=0)
vision_learner(dls, resnet18).fit_one_cycle(1)
