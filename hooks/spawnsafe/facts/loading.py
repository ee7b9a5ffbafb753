"""Data loaders, data sets and what they use."""

from __future__ import annotations

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
GENERATORS = {
    "numpy.random.default_rng": "a numpy generator", "numpy.random.Generator": "a numpy generator",
    "numpy.random.RandomState": "a numpy generator", "random.Random": "a generator",
    "torch.Generator": "a torch generator",
}  # fmt: skip
