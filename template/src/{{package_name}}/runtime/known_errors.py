"""The known errors, as data: what each usually means, what to do, how this project prevents it.

explain.py takes the first row that fits: causes stand before their consequences, noise comes last.
"""

from __future__ import annotations

from typing import NamedTuple

PAGES = "https://github.com/org/safe-torch-template/blob/main/docs"
"""Where the documentation is."""


class KnownError(NamedTuple):
    """One cause, and the messages by which it shows."""

    id: str
    texts: tuple[str, ...]
    """What Python, torch and the systems write, in all variants. "…" stands for anything on
    the same line. Where a text has several lines, each is found somewhere after the one before."""
    meaning: str
    """What it usually means. This and the cure: about 190 characters, two lines of a terminal."""
    cure: str
    """What to do. "python -m PACKAGE" stands for this project's command."""
    prevented: str
    """How this project prevents it, for the page."""
    also: tuple[str, ...] = ()
    """Other causes that show by the same message."""

    @property
    def page(self) -> str:
        return f"{PAGES}/errors.md#{self.id.lower()}"


KNOWN_ERRORS = (
    KnownError(
        id="BOOT-4",
        texts=(
            "site-packages/ultralytics\nAn attempt has been made to start a new process",
            "site-packages/lightning\nAn attempt has been made to start a new process",
            "site-packages/pytorch_lightning\nAn attempt has been made to start a new process",
            "site-packages/transformers\nAn attempt has been made to start a new process",
            "site-packages/accelerate\nAn attempt has been made to start a new process",
            "site-packages/fastai\nAn attempt has been made to start a new process",
        ),
        meaning=(
            "A library's call (train, fit, launch) stands at the top level of a file. It starts "
            "processes, and each of them imports that file and makes the call again."
        ),
        cure=(
            "Put the call into a function main(), and call that behind `if __name__ == "
            '"__main__":` at the end of the file.'
        ),
        prevented=(
            "Nothing but definitions stands at the top level of a module; a test imports every "
            "one and looks."
        ),
    ),
    KnownError(
        id="FRZ-2",
        also=("FRZ-1",),
        texts=(
            "unrecognized arguments: …--multiprocessing-fork",
            "unrecognized arguments: …from multiprocessing.",
            "No such option: --multiprocessing-fork",
            "ambiguous option: -…from multiprocessing.",
        ),
        meaning=(
            "A frozen program starts itself once more for each worker process, and read the "
            "command line before it noticed that it is one."
        ),
        cure=(
            "Call multiprocessing.freeze_support() as the first statement of the program: before "
            "arguments are read, and before torch is imported."
        ),
        prevented="`__main__.py` calls it first, and imports the command line only after it.",
    ),
    KnownError(
        id="START-1",
        texts=(
            "in spawn_main\ncontext has already been set",
            "forkserver.py\ncontext has already been set",
        ),
        meaning=(
            "set_start_method stands at the top level of a file, which every worker process "
            "imports again: there the method is settled already."
        ),
        cure=(
            'Move the call behind `if __name__ == "__main__":` or delete it: this project names '
            "the method for each loader."
        ),
        prevented="`runtime/start.py` settles the method once, behind the guard.",
    ),
    KnownError(
        id="BOOT-1",
        texts=(
            "An attempt has been made to start a new process before",
            "A worker process imports the main program, and that begins to load data again",
        ),
        meaning=(
            "Code that starts worker processes stands at the top level of a file. Each worker "
            "imports that file, and would start workers of its own."
        ),
        cure=(
            'Put it into a function, and call that behind `if __name__ == "__main__":` or run it '
            "with `python -m PACKAGE train`"
        ),
        prevented="`__main__.py` holds the guard and nothing else; all work is done in functions.",
    ),
    KnownError(
        id="BOOT-7",
        texts=(
            "module '__main__' has no attribute '__spec__'",
            "pydevd\nkilled by signal: Aborted",
            "debugpy\nkilled by signal: Aborted",
            "pydevd\ndouble free or corruption",
            "debugpy\ndouble free or corruption",
        ),
        meaning=(
            "A debugger or an editor's console runs the program in place of Python's own main "
            "module, and worker processes cannot start from there."
        ),
        cure=(
            "Load in the main process: `python -m PACKAGE train --loader.num-workers 0`, or run the "
            "program in a terminal."
        ),
        prevented="Under a debugger the main process loads, unless a number of workers is given.",
    ),
    KnownError(
        id="BOOT-6",
        texts=(
            "No such file or directory: '…<stdin>'",
            "No such file or directory: '…<input>'",
            "No such file or directory: '…<string>'",
            "No such file or directory: '…untitled…'",
            "Invalid argument: '…<stdin>'",
            "Invalid argument: '…<input>'",
        ),
        meaning=(
            "The main program is in no file (typed, piped, or not saved yet), so worker "
            "processes cannot import it."
        ),
        cure="Save it as a file and run that, or run `python -m PACKAGE train`",
        prevented="The program is a package, which workers import by its name.",
    ),
    KnownError(
        id="NB-3",
        texts=("CUDA has been initialized before the …could create a forked subprocess",),
        meaning=(
            "A cell, or something that it imported, touched CUDA before the launcher copied this "
            "process. A copy cannot use CUDA any more."
        ),
        cure=(
            "Restart the kernel, and touch no GPU before the launch. Better: run `torchrun` or "
            "`python -m PACKAGE train` in a terminal."
        ),
        prevented="No module touches an accelerator when it is imported; `doctor` checks that.",
    ),
    KnownError(
        id="NB-1",
        also=(
            "NB-2",
            "BOOT-5",
        ),
        texts=(
            "Can't get attribute '…' on <module '__main__' (built-in)>",
            "Can't get attribute '…' on <module '__main__' (<class '_frozen_importlib",
            "AttributeError: module '__main__' has no attribute '…'",
        ),
        meaning=(
            "A class or function was defined in a notebook cell, a console or __main__.py. A "
            "worker process is a new Python, which has no copy of it."
        ),
        cure=(
            "Move it to a module, such as data.py, and import it from there. Or load without "
            "workers: --loader.num-workers 0"
        ),
        prevented=(
            "`data.py` is a module; with the answer `notebook`, what cells define is sent to "
            "workers whole."
        ),
    ),
    KnownError(
        id="PICK-6",
        texts=(
            "Can't get attribute '…' on <module '__mp_main__'",
            "module '__mp_main__' has no attribute '…'",
        ),
        meaning=(
            'A class or function is defined behind `if __name__ == "__main__":` and a worker '
            "process, which imports the file, never sees it."
        ),
        cure=(
            "Move the definition out of the guard to the top level, or better into a module such "
            "as data.py."
        ),
        prevented="`__main__.py` defines nothing that workers need.",
    ),
    KnownError(
        id="PICK-1",
        texts=(
            "Can't pickle local object '…<lambda>'",
            "Can't get local object '…<lambda>'",
            "Can't pickle local object <function …<lambda> at",
            "Can't pickle <function …<lambda> at",
            "Can't get attribute '<lambda>'",
        ),
        meaning=(
            "A lambda has no name by which a worker process could import it. It is the collate "
            "function, a transform, or kept on the data set."
        ),
        cure=(
            "Write it as a function at the top level of a module; functools.partial gives it "
            "arguments. `python -m PACKAGE doctor` names the attribute."
        ),
        prevented=(
            "What workers receive is pickled before they start, and the part that cannot travel "
            "is named."
        ),
    ),
    KnownError(
        id="PICK-5",
        texts=(
            "Can't pickle local object '…<locals>…'",
            "Can't get local object '…<locals>…'",
            "Can't pickle local object <…<locals>…",
            "Can't pickle <…<locals>…>: ",
        ),
        meaning=(
            "A class or function is defined inside a function. A worker process looks for it by "
            "its name in a module, and it is not there."
        ),
        cure="Move the definition to the top level of a module, such as data.py.",
        prevented=(
            "What workers receive is pickled before they start, and the part that cannot travel "
            "is named."
        ),
    ),
    KnownError(
        id="PICK-7",
        texts=("Can't pickle <…>: it's not the same object as",),
        meaning=(
            "A function was replaced by another of the same name (a decorator without "
            "functools.wraps, a reloaded module), so the name leads elsewhere."
        ),
        cure=(
            "Decorate in place with @ and functools.wraps, or give the new function its own "
            "name. After a reload, make the object anew."
        ),
        prevented=(
            "What workers receive is pickled before they start, and the part that cannot travel "
            "is named."
        ),
    ),
    KnownError(
        id="PICK-3",
        texts=(
            "cannot pickle '_io.…' object",
            "cannot serialize '_io.…' object",
            "can't pickle _io.",
            "cannot pickle TextIOWrapper instances",
            "cannot pickle BufferedReader instances",
            "cannot pickle BufferedRandom instances",
            "cannot pickle BufferedWriter instances",
            "cannot pickle FileIO instances",
            "h5py objects cannot be pickled",
            "cannot pickle 'Environment' object",
            "can't pickle Environment objects",
            "cannot pickle 'sqlite3.…' object",
            "cannot pickle 'mmap.mmap' object",
            "cannot pickle 'zipfile…' object",
        ),
        meaning=(
            "The data set keeps something open: a file, HDF5, LMDB, a database. It cannot travel "
            "to a worker process."
        ),
        cure=(
            "Keep the path, open on first use, and drop the handle in __getstate__ (see "
            "data.py). `python -m PACKAGE doctor` names the attribute."
        ),
        prevented=(
            "The data set in `data.py` opens in each process, and drops what is open when it is "
            "pickled."
        ),
    ),
    KnownError(
        id="PICK-2",
        texts=(
            "cannot pickle '_thread.…' object",
            "cannot pickle '_queue.SimpleQueue' object",
            "can't pickle _thread.",
            "can't pickle _queue.",
            "cannot pickle 'weakref…' object",
            "cannot pickle 'SSLContext' object",
            "cannot pickle 'ssl.SSLContext' object",
            "should only be shared between processes through inheritance",
        ),
        meaning=(
            "The data set keeps a lock, thread pool, queue, client, logging handler or summary "
            "writer. None of them can travel to a worker process."
        ),
        cure=(
            "Make it where it is first used, and drop it in __getstate__. `python -m PACKAGE "
            "doctor` names the attribute."
        ),
        prevented=(
            "What workers receive is pickled before they start, and the part that cannot travel "
            "is named."
        ),
    ),
    KnownError(
        id="PICK-4",
        texts=(
            "cannot pickle 'generator' object",
            "cannot pickle 'module' object",
            "cannot pickle 'dict_keys' object",
            "cannot pickle 'dict_values' object",
            "cannot pickle 'dict_items' object",
            "can't pickle generator objects",
            "can't pickle module objects",
            "can't pickle dict_keys objects",
            "cannot pickle 'itertools.…' object",
        ),
        meaning=(
            "The data set keeps a generator, a module or a view of a dictionary. None of them "
            "can travel to a worker process."
        ),
        cure=(
            "Keep what it is made from, or a list of it, and make it where it is used. `python "
            "-m PACKAGE doctor` names the attribute."
        ),
        prevented=(
            "What workers receive is pickled before they start, and the part that cannot travel "
            "is named."
        ),
    ),
    KnownError(
        id="PICK-9",
        texts=(
            "cannot serialize a bytes object larger than 4 GiB",
            "cannot serialize a bytes object larger than 4GiB",
            "cannot serialize a string larger than 4GiB",
            "reduction.py\nOSError: [Errno 22] Invalid argument",
            "reduction.py\nMemoryError",
        ),
        meaning=(
            "The data set holds so much that its copy does not fit through the pipe to a worker "
            "process."
        ),
        cure=(
            "Keep large arrays in files and map them into memory (np.load with mmap_mode). "
            "`python -m PACKAGE doctor` shows the size."
        ),
        prevented=(
            "A test and `doctor` look at the size; the arrays in `data/` are mapped into memory."
        ),
    ),
    KnownError(
        id="START-7",
        texts=("Got pickle error when attempting to start a worker Process",),
        meaning=(
            "Python 3.14 on Linux starts worker processes afresh, and no longer as copies. What "
            "the data set or collate function holds cannot travel."
        ),
        cure=(
            "Look at the error above this line, and mend that. Do not go back to fork. `python "
            "-m PACKAGE doctor` names the attribute."
        ),
        prevented="The project is written for fresh processes on every system.",
    ),
    KnownError(
        id="START-2",
        texts=("context has already been set",),
        meaning=(
            "Something has settled how processes start before set_start_method: a progress bar, "
            "a lock, a queue or a pool was made earlier."
        ),
        cure=(
            "Delete the call: this project names the method for each loader. Elsewhere: "
            "DataLoader(multiprocessing_context=...)."
        ),
        prevented="`runtime/start.py` settles the method first thing, and loaders name theirs.",
    ),
    KnownError(
        id="START-3",
        texts=("A SemLock created in a …context is being shared with a process in a",),
        meaning=(
            "A lock, queue or value was made for another way to start processes than the workers "
            "use."
        ),
        cure=(
            "Make it from the loader's own context: "
            'multiprocessing.get_context("spawn").Lock(), and the like.'
        ),
        prevented="Workers share no locks and no queues: each has pipes of its own.",
    ),
    KnownError(
        id="START-6",
        texts=("in _rebuild\nNo such file or directory",),
        meaning="The parent dropped a lock or a queue before the new process had opened it.",
        cure="Keep a reference to it until the process is joined.",
        prevented="Workers receive pipes alone, and the loader keeps its ends of them.",
    ),
    KnownError(
        id="START-5",
        texts=(
            "in DataLoader worker process\nNameError: name '…' is not defined",
            "in a worker process:\nNameError: name '…' is not defined",
        ),
        meaning=(
            "A global that main() assigns, or that is defined behind the guard, does not exist "
            "in a worker process, which only imports the module."
        ),
        cure="Pass the value to the data set's __init__ and keep it there.",
        prevented="Settings reach a data set as arguments of `make_dataset`.",
    ),
    KnownError(
        id="FORK-1",
        texts=(
            "fork() called from a process already using GNU OpenMP",
            "OMP: Warning #190",
            "Forking a process while a parallel region is active",
        ),
        meaning=(
            "A process was copied (fork) while OpenMP had threads. The threads are not in the "
            "copy, which waits for them for ever."
        ),
        cure=(
            "Use spawn or forkserver, as this project does, or ask for one thread: "
            "OMP_NUM_THREADS=1"
        ),
        prevented="`fork` is never used, and workers have one thread each.",
    ),
    KnownError(
        id="FORK-2",
        texts=("is multi-threaded, use of fork() may lead to deadlocks",),
        meaning=(
            "A process was copied (fork) while it had threads. A lock that one of them held "
            "stays locked in the copy for ever."
        ),
        cure="Use spawn or forkserver, as this project does, or start processes before threads.",
        prevented="`fork` is never used.",
    ),
    KnownError(
        id="FORK-4",
        texts=(
            "Bad CRC-32 for file",
            "inflate() failed",
            "wrong B-tree signature",
            "wrong fixed heap",
            "Error -3 while decompressing data",
        ),
        meaning=(
            "Either the file is damaged, or forked workers share one open file: each moves the "
            "position at which the others read."
        ),
        cure=(
            "Open the file in each process, on first use (see data.py). If that is so already, "
            "fetch the file again."
        ),
        prevented="Handles are opened per process, and `fork` is never used.",
    ),
    KnownError(
        id="FORK-5",
        texts=("may have been in progress in another thread when fork() was called",),
        meaning=(
            "On macOS a process was copied (fork) after Apple's libraries had begun to work, "
            "which they do not survive."
        ),
        cure=(
            "Use spawn, the default on macOS. The variable that switches the check off does not "
            "cure it."
        ),
        prevented="macOS gets `spawn`.",
    ),
    KnownError(
        id="FORK-7",
        texts=(
            "Tcl_AsyncDelete: async handler deleted by the wrong thread",
            "main thread is not in main loop",
        ),
        meaning=(
            "A plot window (Tk) that belongs to the main thread is cleaned up in another thread "
            "or process."
        ),
        cure='Call matplotlib.use("Agg") before pyplot is imported, and save plots as files.',
        prevented="Nothing in training imports a window toolkit.",
    ),
    KnownError(
        id="FORK-8",
        texts=("The current process just got forked, after parallelism has already been used",),
        meaning=(
            "The tokenizers library had threads when the process was copied (fork), and switches "
            "them off in the copy. Results are right."
        ),
        cure="Set TOKENIZERS_PARALLELISM=false before the program starts.",
        prevented="`fork` is never used.",
    ),
    KnownError(
        id="CUDA-1",
        texts=(
            "Cannot re-initialize CUDA in forked subprocess",
            "CUDA error (3): initialization error",
            "cuda runtime error (3) : initialization error",
            "CUDA error: initialization error",
        ),
        meaning=(
            "A worker process uses the GPU, and it is a copy (fork) of a process that had "
            "touched it before."
        ),
        cure=(
            "Keep the GPU out of data set, transforms and collate function: batches move in the "
            'training loop. torch.load needs map_location="cpu".'
        ),
        prevented="`fork` is never used, and the device is chosen in the training loop.",
    ),
    KnownError(
        id="CUDA-3",
        texts=("OS call failed or operation not supported on this OS",),
        meaning=(
            "A worker process returned a tensor that is on the GPU, which Windows cannot share "
            "between processes."
        ),
        cure="Return CPU tensors from the data set; the training loop moves batches to the GPU.",
        prevented="Samples are CPU tensors.",
    ),
    KnownError(
        id="CUDA-4",
        texts=("_share_filename_: only available on CPU",),
        meaning=(
            "The data set holds tensors on Apple's GPU (mps), which cannot travel to a worker "
            "process."
        ),
        cure="Keep CPU tensors on the data set; the training loop moves batches to the GPU.",
        prevented="Samples are CPU tensors.",
    ),
    KnownError(
        id="CUDA-5",
        texts=(
            "Expected a '…' device type for generator but found '…'",
            "can't convert …device type tensor to numpy",
        ),
        meaning=(
            "torch.set_default_device, or a default tensor type, puts tensors of the loader on "
            "the GPU as well: its random order, or the samples."
        ),
        cure="Delete the global default, and give device= where a tensor is made.",
        prevented="Nothing sets a default device.",
    ),
    KnownError(
        id="CUDA-6",
        texts=(
            "'pin_memory' argument is set as true but",
            "pin_memory\nCUDA error: out of memory",
            "cudaHostAlloc",
        ),
        meaning=(
            "Page-locked memory was asked for: it helps with CUDA and XPU alone. WSL and "
            "containers allow little of it."
        ),
        cure=(
            "Leave pin_memory out where there is no such GPU; under WSL use less of it: smaller "
            "batches, or none."
        ),
        prevented="It is switched on for CUDA and XPU alone.",
    ),
    KnownError(
        id="CUDA-2",
        texts=(
            "CUDA out of memory",
            "CUDA error: out of memory",
            "HIP out of memory",
            "MPS backend out of memory",
        ),
        meaning=(
            "The GPU's memory is full: batch and model are too large for it, or other processes "
            "hold a part, such as workers that touched the GPU."
        ),
        cure=(
            "Halve --batch-size, or try --amp. Look for other processes with nvidia-smi; no "
            "worker of this project may be among them."
        ),
        prevented="Workers never touch an accelerator: `doctor` checks the imports.",
    ),
    KnownError(
        id="FRZ-3",
        texts=(
            "'NoneType' object has no attribute 'write'",
            "'NoneType' object has no attribute 'flush'",
            "'NoneType' object has no attribute 'isatty'",
            "'NoneType' object has no attribute 'encoding'",
        ),
        meaning=(
            "A program without a terminal window has no stdout and no stderr: both are None, and "
            "something prints."
        ),
        cure=(
            'Put a file in their place before anything else: sys.stdout = open("program.log", '
            '"w"), in worker processes as well.'
        ),
        prevented=(
            "With the answer `pyinstaller`, a log takes their place before anything can print."
        ),
    ),
    KnownError(
        id="FRZ-5",
        texts=(
            "torch_shm_manager",
            "could not get source code",
            "Can't get source for",
        ),
        meaning=(
            "A frozen program lacks a file that torch needs: its helper for shared memory, or "
            "source code for its compiler."
        ),
        cure=(
            "Freeze with packaging/, which collects torch whole; leave --compile out; "
            "--loader.num-workers 0 needs no helper."
        ),
        prevented=(
            "The recipe in `packaging/` collects torch whole, and `--compile` is refused in the "
            "frozen program."
        ),
    ),
    KnownError(
        id="RES-1",
        texts=(
            "is killed by signal: Bus error",
            "unable to allocate shared memory(shm)…No space left on device",
            "unable to write to file </torch_…",
            "unable to open shared memory object …No space left on device",
            "dataloader's workers are out of shared memory",
        ),
        meaning=(
            "/dev/shm, through which torch's workers pass batches, is full. Containers give it "
            "64 MB unless told otherwise."
        ),
        cure=(
            "Start the container with --shm-size=8g or --ipc=host. Else: fewer workers, smaller "
            "batches. `python -m PACKAGE doctor` shows its size."
        ),
        prevented=(
            "Batches travel through pipes; tensors of a data set are weighed against /dev/shm "
            "first."
        ),
    ),
    KnownError(
        id="RES-9",
        texts=(
            "unable to mmap …bytes from file",
            "Cannot allocate memory (12)",
        ),
        meaning=(
            "The system has no more memory maps or memory for this process: each shared tensor "
            "needs a map, and Linux allows 65530."
        ),
        cure=(
            "Keep few large tensors, not many small ones; clone() what you keep of a batch. Or "
            "raise vm.max_map_count."
        ),
        prevented="Batches are not shared memory: they travel as bytes.",
    ),
    KnownError(
        id="RES-2",
        texts=(
            "Too many open files",
            "received 0 items of ancdata",
            "[Errno 24]",
            "[WinError 10024]",
        ),
        meaning=(
            "This process holds as many files as it may. Kept batches of torch's workers hold "
            "one for each tensor; files that are never closed do too."
        ),
        cure=(
            "clone() what you keep of a batch, and close files. The limit is `ulimit -n`; "
            "`python -m PACKAGE doctor` shows it."
        ),
        prevented="The limit is raised at the start, and a batch holds no descriptor.",
    ),
    KnownError(
        id="RES-4",
        texts=(
            "AF_UNIX path too long",
            "Directory not empty: '…pymp-…",
            "Device or resource busy: '….nfs…",
        ),
        meaning=(
            "The folder for temporary files has too long a name for a socket, or is on a network "
            "drive."
        ),
        cure="Set TMPDIR to a short local folder, such as /tmp, before the program starts.",
        prevented=(
            "A name that is too long is seen at the start, and `spawn` used, which needs no socket."
        ),
    ),
    KnownError(
        id="RES-5",
        texts=(
            "WinError 1455",
            "The paging file is too small for this operation to complete",
        ),
        meaning=(
            "Windows has not enough memory promised for all processes: each worker imports "
            "torch, whose CUDA libraries ask for gigabytes."
        ),
        cure=(
            "Take fewer workers: --loader.num-workers 2, or enlarge the paging file: System > "
            "Advanced > Performance > Virtual memory."
        ),
        prevented="The number of workers is limited by memory, and they are started once.",
    ),
    KnownError(
        id="RES-6",
        texts=(
            "This DataLoader will create …worker processes in total",
            "suggested max number of worker in current system is",
        ),
        meaning=(
            "More workers were asked for than this process may use processors: a container, "
            "SLURM or taskset allows fewer than the machine has."
        ),
        cure=(
            "Leave the number to this project (auto). `python -m PACKAGE doctor` says how many "
            "processors there are, and why."
        ),
        prevented="Affinity, quotas, SLURM and ranks are counted.",
    ),
    KnownError(
        id="RES-8",
        texts=(
            "need at most 63 handles, got a sequence of length",
            "max_workers must be <= 61",
        ),
        meaning="Windows lets a process wait for about 60 others at most, and more were asked for.",
        cure="Take 60 processes or fewer.",
        prevented="The number of workers is counted with that limit.",
    ),
    KnownError(
        id="RUN-1",
        texts=("daemonic processes are not allowed to have children",),
        meaning=(
            "A loader with workers is used inside a worker: in a Pool, in a task queue, or in "
            "the __getitem__ of a data set."
        ),
        cure=(
            "Load without workers there: num_workers=0. Or start the outer processes with "
            "concurrent.futures, which allows children."
        ),
        prevented="In a daemonic process the loader takes no workers.",
    ),
    KnownError(
        id="RUN-2",
        texts=(
            "prefetch_factor option could only be specified in multiprocessing",
            "persistent_workers option needs num_workers > 0",
            "multiprocessing_context can only be used with",
            "_SingleProcessDataLoaderIter requires timeout == 0",
            "_SingleProcessDataLoaderIter requires num_workers == 0",
            "prefetch_factor option should be non-negative",
            "_MultiProcessingDataLoaderIter requires prefetch_factor > 0",
        ),
        meaning=(
            "An option of torch's DataLoader that needs worker processes was given without them."
        ),
        cure=(
            "Give prefetch_factor, persistent_workers, timeout and multiprocessing_context only "
            "where num_workers is above 0."
        ),
        prevented="One function decides all options together, and 0 workers always work.",
    ),
    KnownError(
        id="RUN-5",
        texts=("Length of IterableDataset …was reported to be",),
        meaning=(
            "Each worker goes through the whole stream, so that every sample comes once for each "
            "worker."
        ),
        cure=(
            "In __iter__, take every n-th sample by torch.utils.data.get_worker_info(), or use a "
            "data set with __getitem__."
        ),
        prevented="Data sets have `__getitem__`, and each batch is given to one worker.",
    ),
    KnownError(
        id="RUN-6",
        also=("FORK-3",),
        texts=(
            "DataLoader timed out after …seconds",
            "stood still for …, here (innermost call first)",
            "takes too long to load, in the main process",
        ),
        meaning=(
            "A batch did not come in time: the disk or network is slow, or a lock in the data "
            "set is never released."
        ),
        cure=(
            "`python -m PACKAGE doctor` shows the line at which each worker stands. If it is "
            "only slow: a larger --loader.timeout-s."
        ),
        prevented="A stall ends in an error that shows the line.",
    ),
    KnownError(
        id="RUN-11",
        texts=("Loky-backed parallel loops cannot be called in a multiprocessing",),
        meaning=(
            "joblib or scikit-learn wants processes of its own inside a worker process, and "
            "falls back to one."
        ),
        cure="Call it with n_jobs=1 in the data set, which is what happens now.",
        prevented="Workers are the processes: one thread each.",
    ),
    KnownError(
        id="ENV-2",
        texts=(
            "OMP: Error #15",
            "already initialized.\nmultiple copies of the OpenMP runtime",
        ),
        meaning=(
            "Two copies of OpenMP are loaded: packages of conda and of pip are mixed in one "
            "environment."
        ),
        cure=(
            "Make a new environment with packages from one source. `python -m PACKAGE doctor` "
            "shows the copies. KMP_DUPLICATE_LIB_OK only hides it."
        ),
        prevented="The README makes an environment with pip or uv alone.",
    ),
    KnownError(
        id="ENV-3",
        texts=(
            "ModuleNotFoundError: No module named",
            "DLL load failed while importing",
            "[WinError 126]",
            "[WinError 127]",
            "[WinError 193]",
            "cannot open shared object file: No such file or directory",
            "Library not loaded: ",
            "undefined symbol: ",
        ),
        meaning=(
            "A package is missing or broken in the Python that runs, which may be another one "
            "than you installed into."
        ),
        cure=(
            "Activate the project's environment, then `python -m pip install -e .`; `python -m "
            "PACKAGE doctor` says which Python and packages these are."
        ),
        prevented="`src/` is installed as a package, so that every process finds it.",
    ),
    KnownError(
        id="CUDA-7",
        texts=("Pin memory thread exited unexpectedly",),
        meaning=(
            "The thread that copies batches to page-locked memory has died. The true error "
            "stands above it: memory, open files, or the type of a batch."
        ),
        cure="Mend the first error above. A batch of your own type needs a method pin_memory().",
        prevented=(
            "Batches travel as bytes through a pipe, and a failure there is raised in the loop."
        ),
    ),
    KnownError(
        id="BOOT-3",
        texts=(
            "BrokenProcessPool",
            "A process in the process pool was terminated abruptly",
        ),
        meaning=(
            "A process of a pool died. Often the pool is made at the top level of a file, which "
            "each of its processes imports again."
        ),
        cure=(
            'Make the pool in a function that is called behind `if __name__ == "__main__":` Else '
            "see whether memory ran out."
        ),
        prevented=(
            "Nothing but definitions stands at the top level of a module; `doctor` checks that."
        ),
    ),
    KnownError(
        id="RES-3",
        texts=(
            "is killed by signal: ",
            "worker (pid(s) …) exited unexpectedly",
            "was ended by SIGKILL",
            "could not acquire lock for <_io.BufferedWriter name='<stderr>'>",
            "lost sys.stderr",
            "DefaultCPUAllocator: can't allocate memory",
            "DefaultCPUAllocator: not enough memory",
            "ConnectionResetError: [Errno 104]",
            "ConnectionResetError: [Errno 54]",
            "ConnectionResetError: [WinError 10054]",
            "ConnectionRefusedError: [Errno 111]",
        ),
        meaning=(
            "A worker process died. Memory ran out, C code crashed, or it could not start: then "
            "its own error stands above this one."
        ),
        cure=(
            "Read the first error above. If there is none: fewer workers or smaller batches, and "
            "`python -m PACKAGE doctor`"
        ),
        prevented="A worker that dies is replaced, with fewer workers if memory was short.",
    ),
    KnownError(
        id="PICK-8",
        texts=(
            "EOFError: Ran out of input",
            "UnpicklingError: pickle data was truncated",
            "BrokenPipeError: [Errno 32]",
            "BrokenPipeError: [WinError 232]",
            "BrokenPipeError: [WinError 109]",
            "recv_bytes\nEOFError",
        ),
        meaning=(
            "A consequence: the other process has gone, most often because what was sent to it "
            "could not be pickled."
        ),
        cure=(
            "Read the first error above, in whichever process. `python -m PACKAGE doctor` tries "
            "the data sets in one process."
        ),
        prevented="What workers receive is pickled before any process starts.",
    ),
    KnownError(
        id="DATA-1",
        texts=(
            "stack expects each tensor to be equal size",
            "Trying to resize storage that is not resizable",
            "each element in list of batch should be of equal size",
        ),
        meaning=(
            "The samples of a batch differ in shape, and cannot be put into one tensor: images of "
            "several sizes, texts of several lengths."
        ),
        cure=(
            "Give all samples one shape where they are made (resize, crop, pad), or pass a "
            "collate_fn that pads those of a batch."
        ),
        prevented="The samples that come with it have one shape; `doctor` loads some, and stacks them.",
    ),
    KnownError(
        id="DATA-2",
        texts=("batch must contain tensors, numpy arrays, numbers, dicts or lists; found",),
        meaning=(
            "A sample holds what cannot become a tensor: None, from a function without return, or "
            "an object such as an image of Pillow."
        ),
        cure=(
            "Return tensors, arrays or numbers from the data set, or pass a collate_fn that knows "
            "what to do with the rest."
        ),
        prevented="A sample is typed, a tensor and an int; mypy and a test look at it.",
    ),
    KnownError(
        id="BOOT-8",
        texts=("attempted relative import with no known parent package",),
        meaning=(
            "A file of a package was started by its path. Python then knows no package around it, "
            "and imports that begin with a dot fail."
        ),
        cure="Start the package, from the folder of the project: python -m PACKAGE train",
        prevented="The commands in the README, and those for editors, start the package.",
    ),
    KnownError(
        id="RUN-9",
        texts=("in DataLoader worker process ",),
        meaning=(
            "The data set raised an error in a worker process. Its type may have changed on the "
            "way here; the original stands in the text above."
        ),
        cure=(
            "Load the sample in the main process: --loader.num-workers 0. An exception that is "
            "to travel takes one argument."
        ),
        prevented="An exception of a worker is raised with its own type, and with its traceback.",
    ),
    KnownError(
        id="NB-4",
        texts=("can only test a child process",),
        meaning=(
            "A forked worker cleans up a loader that belongs to its parent. It is noise: the "
            "batches are right."
        ),
        cure=(
            "Ignore it, or load with this project's BatchLoader, which never forks. Elsewhere: "
            "persistent_workers=True."
        ),
        prevented="`fork` is never used.",
    ),
    KnownError(
        id="RUN-8",
        texts=(
            "resource_tracker: There appear to be …leaked",
            "process died unexpectedly, relaunching. Some folders/sempaphores might leak",
            "process died unexpectedly, relaunching. Some resources might leak",
        ),
        meaning=(
            "A program ended, or was killed, before it had tidied up. Python removes what was "
            "left behind: it is noise."
        ),
        cure="Ignore it; look for the error that ended the program above it.",
        prevented="Workers hold nothing that could be left behind, and end with their parent.",
    ),
)
