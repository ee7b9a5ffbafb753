"""What starts processes, and what fixes the start method."""

from __future__ import annotations

STARTS = {
    "multiprocessing.Process().start": "starts a process",
    "multiprocessing.Pool": "starts a pool of processes",
    "multiprocessing.Manager": "starts a manager process",
    "multiprocessing.managers.SyncManager().start": "starts a manager process",
    "multiprocessing.managers.BaseManager().start": "starts a manager process",
    "multiprocessing.managers.SharedMemoryManager().start": "starts a manager process",
    "multiprocessing.managers.SyncManager().__enter__": "starts a manager process",
    "multiprocessing.managers.BaseManager().__enter__": "starts a manager process",
    "multiprocessing.managers.SharedMemoryManager().__enter__": "starts a manager process",
    "concurrent.futures.ProcessPoolExecutor().submit": "starts worker processes",
    "concurrent.futures.ProcessPoolExecutor().map": "starts worker processes",
    "torch.multiprocessing.spawn": "starts processes",
    "torch.multiprocessing.start_processes": "starts processes",
}
FRAMEWORK_STARTS = {
    # The call starts processes itself, whatever its arguments are.
    "accelerate.notebook_launcher": "launches processes",
    "accelerate.debug_launcher": "launches processes",
    "accelerate.launchers.notebook_launcher": "launches processes",
    "accelerate.launchers.debug_launcher": "launches processes",
    "tqdm.contrib.concurrent.process_map": "starts worker processes",
    "torch.distributed.launcher.api.launch_agent": "launches processes",
    "torch.distributed.launcher.api.elastic_launch()": "launches processes",
    "ignite.distributed.Parallel().run": "launches processes",
    "ignite.distributed.spawn": "launches processes",
    "dask.distributed.LocalCluster": "starts worker processes",
    "distributed.LocalCluster": "starts worker processes",
    "stable_baselines3.common.vec_env.SubprocVecEnv": "starts a process for each environment",
    "stable_baselines3.common.vec_env.subproc_vec_env.SubprocVecEnv": "starts a process for each",
    "gymnasium.vector.AsyncVectorEnv": "starts a process for each environment",
    "gym.vector.AsyncVectorEnv": "starts a process for each environment",
    "sentence_transformers.SentenceTransformer().start_multi_process_pool": "starts a pool",
    "sentence_transformers.SentenceTransformer().encode_multi_process": "starts a pool",
    "vllm.LLM": "starts the processes of the engine",
    "detectron2.engine.launch": "launches processes",
    # The default has workers.
    "ultralytics.YOLO().train": "trains with 8 workers unless it is told otherwise",
    "ultralytics.YOLO().val": "validates with 8 workers unless it is told otherwise",
    "ultralytics.YOLO().tune": "trains with 8 workers unless it is told otherwise",
    "ultralytics.RTDETR().train": "trains with 8 workers unless it is told otherwise",
    "ultralytics.RTDETR().val": "validates with 8 workers unless it is told otherwise",
    "ultralytics.FastSAM().val": "validates with 8 workers unless it is told otherwise",
    "ultralytics.YOLOWorld().train": "trains with 8 workers unless it is told otherwise",
    "ultralytics.YOLOE().train": "trains with 8 workers unless it is told otherwise",
    "ultralytics.NAS().val": "validates with 8 workers unless it is told otherwise",
    # The loaders that the object was given, or makes, have workers in all but toy programs.
    "lightning.pytorch.Trainer().fit": "iterates the loaders",
    "lightning.pytorch.Trainer().validate": "iterates the loaders",
    "lightning.pytorch.Trainer().test": "iterates the loaders",
    "lightning.pytorch.Trainer().predict": "iterates the loaders",
    "lightning.pytorch.cli.LightningCLI": "trains",
    "lightning.LightningCLI": "trains",
}
FASTAI_STARTS = (
    "fit", "fit_one_cycle", "fine_tune", "fit_flat_cos", "fit_sgdr", "lr_find", "validate",
    "get_preds", "show_results",
)  # fmt: skip
FASTAI_LEARNERS = {
    "fastai.vision.all.vision_learner", "fastai.vision.all.cnn_learner",
    "fastai.vision.all.unet_learner", "fastai.vision.all.Learner", "fastai.basics.Learner",
    "fastai.text.all.text_classifier_learner", "fastai.text.all.language_model_learner",
    "fastai.tabular.all.tabular_learner", "fastai.learner.Learner",
    "fastai.vision.learner.vision_learner",
}  # fmt: skip
WORKERS_ARGUMENT = {
    # The call starts workers if this argument is a number above 0 (or above 1, for num_proc).
    "datasets.load_dataset": ("num_proc", 1),
    "datasets.load_dataset().map": ("num_proc", 1),
    "datasets.load_dataset().filter": ("num_proc", 1),
    "datasets.Dataset.from_dict().map": ("num_proc", 1),
    "datasets.load_from_disk().map": ("num_proc", 1),
}
TRAINERS_WITH_ARGUMENTS = {
    # Trainers whose worker count stands in an object that they are given.
    "transformers.Trainer", "transformers.Seq2SeqTrainer",
    *(
        f"trl.{name}Trainer" for name in (
            "BCO", "CPO", "DPO", "GKD", "GRPO", "KTO", "NashMD", "OnlineDPO", "ORPO", "PPO", "PRM",
            "Reward", "RLOO", "SFT", "XPO",
        )
    ),
    *(
        f"sentence_transformers.{name}Trainer" for name in (
            "SentenceTransformer", "cross_encoder.CrossEncoder", "sparse_encoder.SparseEncoder",
            "SparseEncoder",
        )
    ),
}  # fmt: skip
TRAINER_METHODS = ("train", "evaluate", "predict")
POOL_TASKS = (
    "map", "map_async", "imap", "imap_unordered", "starmap", "starmap_async", "apply",
    "apply_async",
)  # fmt: skip
LOOPS_OVER = {
    # Calls that loop over a loader: the name and position of the argument, of the call or of the
    # object that it is a method of.
    **dict.fromkeys(
        ("ignite.engine.Engine().run", "ignite.engine.engine.Engine().run",
         "ignite.engine.create_supervised_trainer().run",
         "ignite.engine.create_supervised_evaluator().run"),
        ("data", 0),
    ),
    "monai.engines.SupervisedTrainer().run": ("train_data_loader", None),
    "monai.engines.SupervisedEvaluator().run": ("val_data_loader", None),
    "composer.Trainer().fit": ("train_dataloader", None),
    "torch.optim.swa_utils.update_bn": ("loader", 0),
}  # fmt: skip
CALLS_BACK = {
    # Calls that call what they are given: the name and position of the argument, of the call or of
    # the object that it is a method of.
    "fire.Fire": ("component", 0),
    "typer.run": ("function", 0),
    "absl.app.run": ("main", 0),
    "tyro.cli": ("f", 0),
    "timeit.timeit": ("stmt", 0),
    "functools.reduce": ("function", 0),
    "stable_baselines3.common.env_util.make_vec_env": ("vec_env_cls", 7),
    "threading.Thread().start": ("target", 1),
    "threading.Timer().start": ("function", 1),
    "concurrent.futures.ThreadPoolExecutor().submit": ("fn", 0),
    "concurrent.futures.ThreadPoolExecutor().map": ("fn", 0),
    **{f"multiprocessing.{pool}().{task}": ("func", 0)
       for pool in ("pool.ThreadPool", "dummy.Pool") for task in POOL_TASKS},
}  # fmt: skip
EXECUTOR_TASKS = ("submit", "map")

FIXES_METHOD = {
    **dict.fromkeys(
        (
            "multiprocessing.Lock", "multiprocessing.RLock", "multiprocessing.Queue",
            "multiprocessing.JoinableQueue", "multiprocessing.SimpleQueue",
            "multiprocessing.Event", "multiprocessing.Condition", "multiprocessing.Semaphore",
            "multiprocessing.BoundedSemaphore", "multiprocessing.Barrier",
            "multiprocessing.Value", "multiprocessing.Array", "multiprocessing.Pool",
            "multiprocessing.Manager", "multiprocessing.Process().start",
        ),
        "makes an object of the default start method",
    ),
    "concurrent.futures.ProcessPoolExecutor": "asks for the default context",
    "tqdm.tqdm": "makes a lock of the default start method (a progress bar does)",
    "tqdm.trange": "makes a lock of the default start method (a progress bar does)",
}  # fmt: skip
SYNCHRONIZED = {
    "multiprocessing.Lock", "multiprocessing.RLock", "multiprocessing.Queue",
    "multiprocessing.JoinableQueue", "multiprocessing.SimpleQueue", "multiprocessing.Event",
    "multiprocessing.Condition", "multiprocessing.Semaphore", "multiprocessing.BoundedSemaphore",
    "multiprocessing.Barrier", "multiprocessing.Value", "multiprocessing.Array",
}  # fmt: skip
