"""What is known about libraries: data, no code that decides.

Names are full names as they are imported; `X().y` is the method y of an object that X made; "?" is an
object of unknown kind. Sources are the documentation and the source code of each library, as of
torch 2.13, Lightning 2.6, transformers 5, ultralytics 8.4, Python 3.14.
"""

from __future__ import annotations

# --- Names -----------------------------------------------------------------------------------

PREFIXES = {
    # One name for what several modules give.
    "torch.multiprocessing.": "multiprocessing.",
    "multiprocessing.context.": "multiprocessing.",
    "multiprocessing.process.": "multiprocessing.",
    "multiprocessing.queues.": "multiprocessing.",
    "multiprocessing.synchronize.": "multiprocessing.",
    "concurrent.futures.process.": "concurrent.futures.",
    "concurrent.futures.thread.": "concurrent.futures.",
    "torch.utils.data.dataloader.": "torch.utils.data.",
    "torch.utils.data.dataset.": "torch.utils.data.",
    "torch.utils.data._utils.worker.": "torch.utils.data.",
    "pytorch_lightning.": "lightning.pytorch.",
    "lightning.pytorch.trainer.": "lightning.pytorch.",
    "torchvision.datasets.folder.": "torchvision.datasets.",
    "torchvision.datasets.vision.": "torchvision.datasets.",
    "torchvision.transforms.v2.": "torchvision.transforms.",
    "torchvision.transforms.transforms.": "torchvision.transforms.",
    "tqdm.auto.": "tqdm.",
    "tqdm.notebook.": "tqdm.",
    "tqdm.rich.": "tqdm.",
    "tqdm.std.": "tqdm.",
    "tqdm.tqdm.": "tqdm.",
    "argparse_.": "argparse.",
    "jsonargparse.ArgumentParser": "argparse.ArgumentParser",
    "io.open": "builtins.open",
    "codecs.open": "builtins.open",
}
EXACT = {
    "multiprocessing.pool.Pool": "multiprocessing.Pool",
    "torch.multiprocessing.spawn": "torch.multiprocessing.spawn",
    "torch.multiprocessing.start_processes": "torch.multiprocessing.start_processes",
    "torch.multiprocessing.spawn.spawn": "torch.multiprocessing.spawn",
    "lightning.Trainer": "lightning.pytorch.Trainer",
    "lightning.LightningDataModule": "lightning.pytorch.LightningDataModule",
    "multiprocessing.spawn": "torch.multiprocessing.spawn",
    "multiprocessing.start_processes": "torch.multiprocessing.start_processes",
    "tqdm.notebook.tqdm": "tqdm.tqdm",
    "ultralytics.models.YOLO": "ultralytics.YOLO",
    "os.getenv": "os.environ.get",
}


def canonical(qual: str) -> str:
    """One name for things that have several."""
    if qual in EXACT:
        return EXACT[qual]
    for prefix, short in PREFIXES.items():
        if qual.startswith(prefix):
            return EXACT.get(short + qual[len(prefix) :], short + qual[len(prefix) :])
    return qual


# --- Data loaders -----------------------------------------------------------------------------

LOADER_ARGUMENTS = (
    "dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn",
    "pin_memory", "drop_last", "timeout", "worker_init_fn", "multiprocessing_context",
)  # fmt: skip
LOADERS = {
    "torch.utils.data.DataLoader",
    "torchdata.stateful_dataloader.StatefulDataLoader",
    "monai.data.DataLoader",
    "torch_geometric.loader.DataLoader",
    "torch_geometric.data.DataLoader",
    "webdataset.WebLoader",
    "lightning.fabric.utilities.data.DataLoader",
    "litdata.StreamingDataLoader",
}
POSITIONAL_LOADERS = {
    "torch.utils.data.DataLoader",
    "torchdata.stateful_dataloader.StatefulDataLoader",
}
"""The loaders whose arguments have torch's order."""
MAP_DATASETS = {
    "torch.utils.data.Dataset",
    "torch.utils.data.TensorDataset",
    "torch.utils.data.ConcatDataset",
    "torch.utils.data.Subset",
    "torch.utils.data.MapDataPipe",
    "torchdata.datapipes.map.MapDataPipe",
    "torchvision.datasets.VisionDataset",
    "torchvision.datasets.ImageFolder",
    "torchvision.datasets.DatasetFolder",
    "torch_geometric.data.Dataset",
    "torch_geometric.data.InMemoryDataset",
    "monai.data.Dataset",
    "monai.data.CacheDataset",
    "monai.data.PersistentDataset",
    "torchgeo.datasets.NonGeoDataset",
    "torchgeo.datasets.GeoDataset",
    "fairseq.data.FairseqDataset",
}
ITERABLE_DATASETS = {
    "torch.utils.data.IterableDataset",
    "torch.utils.data.IterDataPipe",
    "torchdata.datapipes.iter.IterDataPipe",
    "monai.data.IterableDataset",
}
DATASETS = MAP_DATASETS | ITERABLE_DATASETS
SAMPLE_METHODS = ("__getitem__", "__getitems__", "__iter__", "__next__")
"""The methods of a data set that a worker calls."""
CPU_COUNTERS = {
    "os.cpu_count", "os.process_cpu_count", "multiprocessing.cpu_count", "psutil.cpu_count",
    "loky.cpu_count", "joblib.cpu_count", "os.sched_getaffinity",
}  # fmt: skip
WORKER_INFO = ("get_worker_info", "worker_info", "WorkerInfo")
ITERATOR_WRAPPERS = {
    "builtins.iter", "builtins.enumerate", "builtins.zip", "builtins.map", "builtins.filter",
    "builtins.reversed", "builtins.generator", "itertools.islice", "itertools.cycle",
    "itertools.chain", "itertools.repeat", "tqdm.tqdm", "tqdm.trange", "rich.progress.track",
    "alive_progress.alive_it", "fastprogress.progress_bar", "more_itertools.peekable",
}  # fmt: skip

# --- What starts processes ----------------------------------------------------------------------

STARTS = {
    "multiprocessing.Process().start": "starts a process",
    "multiprocessing.Pool": "starts a pool of processes",
    "multiprocessing.Manager": "starts a manager process",
    "multiprocessing.managers.SyncManager().start": "starts a manager process",
    "multiprocessing.managers.BaseManager().start": "starts a manager process",
    "multiprocessing.managers.SharedMemoryManager().start": "starts a manager process",
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
    "torch.distributed.launcher.api.elastic_launch()()": "launches processes",
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
    "transformers.Trainer", "transformers.Seq2SeqTrainer", "trl.SFTTrainer", "trl.DPOTrainer",
    "sentence_transformers.SentenceTransformerTrainer",
}  # fmt: skip
TRAINER_METHODS = ("train", "evaluate", "predict")
DAEMONIC_POOLS = {"multiprocessing.Pool"}
POOL_TASKS = (
    "map", "map_async", "imap", "imap_unordered", "starmap", "starmap_async", "apply",
    "apply_async",
)  # fmt: skip
EXECUTOR_TASKS = ("submit", "map")

# --- What fixes the start method ------------------------------------------------------------------

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

# --- What cannot be pickled --------------------------------------------------------------------

LIVE = {
    "threading.Lock": "a lock", "threading.RLock": "a lock", "_thread.allocate_lock": "a lock",
    "threading.Event": "an event with a lock", "threading.Condition": "a condition with a lock",
    "threading.Semaphore": "a semaphore with a lock", "threading.Barrier": "a barrier with a lock",
    "threading.BoundedSemaphore": "a semaphore with a lock",
    "threading.Thread": "a thread", "threading.Timer": "a thread",
    "threading.local": "a thread-local object",
    "queue.Queue": "a queue with a lock", "queue.SimpleQueue": "a queue",
    "queue.LifoQueue": "a queue with a lock", "queue.PriorityQueue": "a queue with a lock",
    "concurrent.futures.ThreadPoolExecutor": "an executor",
    "concurrent.futures.ProcessPoolExecutor": "an executor",
    "multiprocessing.Pool": "a pool", "multiprocessing.pool.ThreadPool": "a pool of threads",
    "multiprocessing.dummy.Pool": "a pool of threads",
    "logging.FileHandler": "a log handler with a lock",
    "logging.StreamHandler": "a log handler with a lock",
    "logging.handlers.RotatingFileHandler": "a log handler with a lock",
    "logging.handlers.QueueHandler": "a log handler with a lock",
    "torch.utils.tensorboard.SummaryWriter": "a writer with a thread",
    "torch.utils.tensorboard.writer.SummaryWriter": "a writer with a thread",
    "tensorboardX.SummaryWriter": "a writer with a thread",
    "boto3.client": "a client with connections", "boto3.resource": "a client with connections",
    "boto3.session.Session": "a session with connections",
    "asyncio.new_event_loop": "an event loop", "asyncio.get_event_loop": "an event loop",
    "socket.socket": "a socket", "socket.create_connection": "a socket",
    "subprocess.Popen": "a running program",
    "grpc.insecure_channel": "a connection", "grpc.secure_channel": "a connection",
    "weakref.ref": "a weak reference", "tqdm.tqdm": "a progress bar with a lock on a stream",
    "builtins.memoryview": "a view of memory",
}  # fmt: skip
HANDLES = {
    "builtins.open": "an open file", "gzip.open": "an open file", "bz2.open": "an open file",
    "lzma.open": "an open file", "os.fdopen": "an open file", "os.popen": "an open pipe",
    "gzip.GzipFile": "an open file", "bz2.BZ2File": "an open file",
    "tempfile.TemporaryFile": "an open file", "tempfile.NamedTemporaryFile": "an open file",
    "pathlib.Path().open": "an open file", "mmap.mmap": "a memory map",
    "h5py.File": "an open HDF5 file", "tables.open_file": "an open HDF5 file",
    "h5py.File().get": "an HDF5 object", "pandas.HDFStore": "an open HDF5 file",
    "netCDF4.Dataset": "an open netCDF file",
    "lmdb.open": "an open LMDB environment", "lmdb.Environment": "an open LMDB environment",
    "lmdb.open().begin": "an LMDB transaction",
    "sqlite3.connect": "an SQLite connection",
    "sqlite3.connect().cursor": "an SQLite cursor", "sqlite3.connect().execute": "an SQLite cursor",
    "psycopg2.connect": "a database connection", "psycopg.connect": "a database connection",
    "pymysql.connect": "a database connection", "MySQLdb.connect": "a database connection",
    "duckdb.connect": "a database connection", "redis.Redis": "a database connection",
    "pymongo.MongoClient": "a database connection",
    "zipfile.ZipFile": "an open zip file", "zipfile.ZipFile().open": "an open file in a zip",
    "tarfile.open": "an open tar file", "tarfile.TarFile": "an open tar file",
    "cv2.VideoCapture": "an open video", "decord.VideoReader": "an open video",
    "av.open": "an open video", "torchvision.io.VideoReader": "an open video",
    "imageio.get_reader": "an open video", "rasterio.open": "an open raster file",
    "openslide.OpenSlide": "an open slide", "openslide.open_slide": "an open slide",
    "shelve.open": "an open shelf", "dbm.open": "an open database",
    "plyvel.DB": "an open database", "rocksdb.DB": "an open database",
    "csv.reader": "a reader of an open file", "csv.DictReader": "a reader of an open file",
    "csv.writer": "a writer to an open file", "csv.DictWriter": "a writer to an open file",
}  # fmt: skip
NO_FRESH_HANDLE = {"redis.Redis", "rasterio.open"}
ITERATORS = {
    "builtins.generator": "a generator",
    "builtins.dict().keys": "a view of a dictionary",
    "builtins.dict().values": "a view of a dictionary",
    "builtins.dict().items": "a view of a dictionary",
    "os.walk": "a generator", "os.scandir": "an iterator over a folder", "glob.iglob": "a generator",
    "pathlib.Path().glob": "a generator", "pathlib.Path().rglob": "a generator",
    "pathlib.Path().iterdir": "a generator", "re.finditer": "an iterator over matches",
    "itertools.tee": "an iterator that cannot be copied", "ast.walk": "a generator",
    "importlib.import_module": "a module", "builtins.__import__": "a module",
}  # fmt: skip
CONTAINERS = {
    # Calls whose result holds their arguments.
    "torchvision.transforms.Compose", "torchvision.transforms.Lambda",
    "torchvision.transforms.RandomApply", "torchvision.transforms.RandomChoice",
    "torchvision.transforms.RandomOrder", "albumentations.Compose", "albumentations.Lambda",
    "albumentations.OneOf", "albumentations.Sequential", "monai.transforms.Compose",
    "monai.transforms.Lambda", "monai.transforms.Lambdad", "torch.nn.Sequential",
    "torch.utils.data.Subset", "torch.utils.data.ConcatDataset", "torch.utils.data.ChainDataset",
    "collections.defaultdict", "collections.OrderedDict", "functools.partial",
    "types.SimpleNamespace", "builtins.map", "builtins.filter", "builtins.zip",
    "builtins.enumerate", "builtins.iter", "itertools.chain", "itertools.cycle", "itertools.islice",
    "torchvision.datasets.ImageFolder", "torchvision.datasets.DatasetFolder",
    "torchvision.datasets.MNIST", "torchvision.datasets.FashionMNIST",
    "torchvision.datasets.CIFAR10", "torchvision.datasets.CIFAR100",
    "torchvision.datasets.FakeData", "torchvision.datasets.VOCDetection",
    "torchvision.datasets.CocoDetection", "torchvision.datasets.SVHN",
    "torchvision.datasets.ImageNet", "torchvision.datasets.STL10",
    "torchvision.datasets.KMNIST", "torchvision.datasets.EMNIST", "torchvision.datasets.CelebA",
}  # fmt: skip

# --- Accelerators ------------------------------------------------------------------------------

ACCELERATORS = ("cuda", "mps", "xpu", "hpu", "npu")
TOUCHES = {
    "torch.cuda.init", "torch.cuda.set_device", "torch.cuda.current_device",
    "torch.cuda.get_device_name", "torch.cuda.get_device_properties",
    "torch.cuda.get_device_capability", "torch.cuda.synchronize", "torch.cuda.mem_get_info",
    "torch.cuda.manual_seed_all_", "torch.cuda.Stream", "torch.cuda.Event_",
    "torch.cuda.current_stream", "torch.cuda.reset_peak_memory_stats",
    "torch.cuda.current_blas_handle", "torch.cuda.memory_reserved_", "torch.xpu.set_device",
    "torch.xpu.init", "torch.accelerator.set_device_index", "torch.accelerator.synchronize",
    "torch.mps.synchronize",
}  # fmt: skip
"""Calls that set up the accelerator. torch.device(), device_count() and manual_seed() do not."""
ASKS = {
    "torch.cuda.is_available", "torch.accelerator.is_available", "torch.cuda.is_bf16_supported",
}  # fmt: skip
"""Calls that spoil a later fork, though no memory is taken."""
MOVES = ("cuda", "xpu")
"""Methods of tensors and modules that move them to an accelerator."""
FACTORIES = {
    f"torch.{name}" for name in (
        "tensor", "zeros", "ones", "empty", "full", "rand", "randn", "randint", "arange",
        "linspace", "eye", "as_tensor", "randperm", "zeros_like", "ones_like", "rand_like",
        "randn_like", "empty_like", "full_like", "Generator", "from_numpy", "logspace",
    )
}  # fmt: skip

# --- Side effects --------------------------------------------------------------------------------

THREADS_AT_ONCE = {
    "concurrent.futures.ThreadPoolExecutor": "a pool of threads",
    "multiprocessing.pool.ThreadPool": "a pool of threads",
    "multiprocessing.dummy.Pool": "a pool of threads",
    "threading.Thread().start": "a thread", "threading.Timer().start": "a thread",
    "asyncio.new_event_loop": "an event loop", "asyncio.get_event_loop": "an event loop",
    "http.server.HTTPServer": "a server", "http.server.ThreadingHTTPServer": "a server",
    "socketserver.ThreadingTCPServer": "a server", "prometheus_client.start_http_server": "a server",
    "apscheduler.schedulers.background.BackgroundScheduler().start": "a scheduler",
    "logging.handlers.QueueListener().start": "a thread",
    "watchdog.observers.Observer().start": "a thread",
    "fsspec.filesystem": "an event loop", "s3fs.S3FileSystem": "an event loop",
    "gcsfs.GCSFileSystem": "an event loop",
}  # fmt: skip
PARSES = {
    "argparse.ArgumentParser().parse_args", "argparse.ArgumentParser().parse_known_args",
    "argparse.ArgumentParser().parse_intermixed_args", "tyro.cli", "fire.Fire", "typer.run",
    "click.command()()", "absl.app.run", "docopt.docopt", "simple_parsing.parse",
    "transformers.HfArgumentParser().parse_args_into_dataclasses", "optparse.OptionParser().parse_args",
    "getopt.getopt",
}  # fmt: skip
WINDOWS_FIRST = {
    "PyQt5.QtWidgets.QApplication", "PyQt6.QtWidgets.QApplication",
    "PySide2.QtWidgets.QApplication", "PySide6.QtWidgets.QApplication", "tkinter.Tk", "wx.App",
    "kivy.app.App().run", "customtkinter.CTk", "streamlit.run", "uvicorn.run",
}  # fmt: skip
"""What must not come before freeze_support, beside parsing: each child would do it again."""
DELETES = {"shutil.rmtree", "os.removedirs"}
MAKES_FOLDER = {"os.mkdir", "os.makedirs", "pathlib.Path().mkdir", "?.mkdir"}
WRITERS = {
    "torch.utils.tensorboard.SummaryWriter", "tensorboardX.SummaryWriter", "wandb.init",
    "mlflow.start_run", "aim.Run", "comet_ml.Experiment", "clearml.Task.init",
    "torch.utils.tensorboard.writer.SummaryWriter",
}  # fmt: skip
"""Each makes a new run, so that each worker would make one."""
CLOCKS = {
    "time.time", "time.time_ns", "time.strftime", "time.localtime", "time.asctime", "time.ctime",
    "datetime.datetime.now", "datetime.datetime.today", "datetime.datetime.utcnow",
    "datetime.now", "uuid.uuid4", "uuid.uuid1",
}  # fmt: skip
COSTLY = {
    "datasets.load_dataset": "loads a data set", "torch.hub.load": "loads a model",
    "torch.load": "loads a file", "pandas.read_csv": "reads a file",
    "pandas.read_parquet": "reads a file", "pandas.read_json": "reads a file",
    "pandas.read_pickle": "reads a file", "numpy.loadtxt": "reads a file",
    "numpy.genfromtxt": "reads a file", "numpy.load": "reads a file",
    "urllib.request.urlretrieve": "downloads a file", "torchvision.datasets.ImageFolder": "scans a folder",
    "torchvision.datasets.ImageNet": "scans a folder",
    "timm.create_model": "builds a model", "time.sleep": "waits",
    "sklearn.datasets.fetch_openml": "downloads a data set",
}  # fmt: skip
COSTLY_IF_DOWNLOADED = "torchvision.datasets."
COSTLY_METHODS = ("from_pretrained",)
LATE_VARIABLES = {
    # A variable, and the libraries that read it once, when they are imported.
    **dict.fromkeys(
        ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "KMP_AFFINITY",
         "KMP_BLOCKTIME", "GOMP_CPU_AFFINITY", "OMP_WAIT_POLICY", "OMP_PROC_BIND",
         "MKL_DYNAMIC", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
        ("torch", "numpy", "scipy", "sklearn", "pandas", "torchvision", "transformers",
         "lightning", "pytorch_lightning", "tensorflow", "jax", "timm"),
    ),
    "NUMEXPR_NUM_THREADS": ("numexpr", "pandas"),
    "NUMEXPR_MAX_THREADS": ("numexpr", "pandas"),
    **dict.fromkeys(
        ("HF_HOME", "HF_HUB_OFFLINE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE",
         "HF_HUB_ENABLE_HF_TRANSFER", "TRANSFORMERS_OFFLINE", "TRANSFORMERS_CACHE"),
        ("huggingface_hub", "transformers", "datasets", "diffusers"),
    ),
    "HF_DATASETS_CACHE": ("datasets",),
    "HF_DATASETS_OFFLINE": ("datasets",),
    "TF_CPP_MIN_LOG_LEVEL": ("tensorflow",),
    "NUMBA_NUM_THREADS": ("numba",),
    "KERAS_BACKEND": ("keras",),
    "OPENCV_IO_ENABLE_OPENEXR": ("cv2",),
    "PYTORCH_JIT": ("torch",),
}  # fmt: skip
LATE_FOR_CUDA = {
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "PYTORCH_CUDA_ALLOC_CONF",
    "HIP_VISIBLE_DEVICES", "CUBLAS_WORKSPACE_CONFIG",
}  # fmt: skip
"""Read when the accelerator is first used."""

# --- Generators of random numbers ------------------------------------------------------------------

GENERATORS = {
    "numpy.random.default_rng": "a numpy generator", "numpy.random.Generator": "a numpy generator",
    "numpy.random.RandomState": "a numpy generator", "random.Random": "a generator",
    "torch.Generator": "a torch generator",
}  # fmt: skip
READS_PATH = {
    "builtins.open", "pandas.read_csv", "pandas.read_parquet", "pandas.read_json", "numpy.load",
    "torch.load", "h5py.File", "PIL.Image.open", "cv2.imread", "os.listdir", "glob.glob",
    "zipfile.ZipFile", "sqlite3.connect", "lmdb.open", "os.path.join", "pathlib.Path", "os.walk",
    "os.scandir", "numpy.memmap", "numpy.loadtxt", "torchvision.io.read_image",
}  # fmt: skip

# --- What a star import gives ---------------------------------------------------------------------


def names_of(module: str) -> list[str]:
    """The names of a module that anything is known about."""
    prefix = f"{module}."
    known = {full.partition("()")[0] for table in STARRED for full in table}
    return sorted(
        full[len(prefix) :]
        for full in known
        if full.startswith(prefix) and full[len(prefix) :].isidentifier()
    )


STARRED = (
    LOADERS,
    DATASETS,
    STARTS,
    FRAMEWORK_STARTS,
    FASTAI_LEARNERS,
    LIVE,
    HANDLES,
    FIXES_METHOD,
)

# --- Which files are followed at all ------------------------------------------------------------

FUNCTION_TRIGGERS = (
    "multiprocessing", "DataLoader", "Dataset", "DataPipe", "ProcessPool", "WebLoader",
    "freeze_support", "VisionDataset", "ImageFolder",
)  # fmt: skip
"""Without these words, what happens in functions that are not called at import is of no interest."""
TRIGGERS = (
    "multiprocessing", "DataLoader", "Dataset", "DataPipe", "ProcessPool", "cuda", "xpu",
    "mps", "accelerator", "set_default_device", "set_default_tensor_type", "environ", "putenv", "dataloader_num_workers",
    "freeze_support", "torch.utils.data", "lightning", "ultralytics", "fastai", "accelerate",
    "num_proc", "LocalCluster", "VecEnv", "AsyncVectorEnv", "multi_process", "vllm", "detectron2",
    "process_map", "ignite", "torch.distributed", "WebLoader",
)  # fmt: skip
"""A file that has none of these words is parsed, and not followed: no rule has anything to say."""
