from stable_baselines3.common.vec_env import SubprocVecEnv
from my_package import make

env = SubprocVecEnv([make, make])  # expect: SPS102
