from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv

env = make_vec_env("CartPole-v1", n_envs=4, vec_env_cls=SubprocVecEnv)  # expect: SPS102
