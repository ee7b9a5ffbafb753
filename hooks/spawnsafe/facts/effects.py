"""What does something beside computing: threads, files, settings, costs."""

from __future__ import annotations

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
    "absl.app.run", "docopt.docopt", "simple_parsing.parse",
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
DELETES_FILE = {"os.remove", "os.unlink", "pathlib.Path().unlink"}
MAKES_TEMPORARY = "tempfile."
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
READS_PATH = {
    "builtins.open", "pandas.read_csv", "pandas.read_parquet", "pandas.read_json", "numpy.load",
    "torch.load", "h5py.File", "PIL.Image.open", "cv2.imread", "os.listdir", "glob.glob",
    "zipfile.ZipFile", "sqlite3.connect", "lmdb.open", "os.path.join", "pathlib.Path", "os.walk",
    "os.scandir", "numpy.memmap", "numpy.loadtxt", "torchvision.io.read_image",
}  # fmt: skip
