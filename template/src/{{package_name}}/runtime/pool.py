"""Worker processes, started, supervised and replaced by the main process.

Each worker has pipes of its own, and shares nothing else: if it dies, for whatever reason, its
pipes close, and there is no lock or queue that it could spoil for the others.
"""

from __future__ import annotations

import multiprocessing
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from .debugging import at_timeout
from .errors import ProjectError
from .machine import free_memory_bytes, private_memory_bytes
from .plan import LoaderPlan
from .process import LEAVE_S, Worker, end_worker, end_workers, post, start_worker
from .reader import BatchSource, Request
from .story import describe_cost, describe_end, describe_failures
from .worker import QUEUE_LENGTH, AtSample, Loaded, Ready

TRIES = 2
"""How often a batch may bring its worker down, and how often in a row a worker may fail to start."""
SIGKILL = 9
"""Its number; Windows does not have it."""
LOW_MEMORY_BYTES = 500e6
"""A worker that is killed while less is free was probably killed for its memory."""
REFUSED_PAUSE_S = 0.1
"""Seconds before a start that was refused is tried again: the helper that starts may die of it."""
GRACE_S = 5.0
"""Seconds that a worker has beyond its limit, to end itself."""
BOOT_S = 60.0
"""Seconds that a worker may take to start."""
LOOK_S = 1.0
"""Seconds to wait at once. Counted one by one, a pause of the whole program is no stall."""


@dataclass(eq=False)
class Task:
    """One batch on its way."""

    request: Request
    worker: Worker | None = None
    """Who was asked for it."""
    loaded: Loaded | None = None
    failures: list[str] = field(default_factory=list)
    """How the workers ended that were loading it."""
    sample: int | None = None
    """The sample that was being loaded, known only when it is tried again."""


class WorkerPool:
    """Workers that load batches; close it after use.

    Args:
        plan: how they start, and whether what they send goes into page-locked memory.
        limit_s: seconds that a worker may take for one batch.
        tell: takes a line for people.
    """

    def __init__(
        self,
        source: BatchSource,
        plan: LoaderPlan,
        *,
        limit_s: float,
        tell: Callable[[str], None],
    ) -> None:
        self.target = 0
        """How many workers there should be."""
        self.most: int | None = None
        """How many there may be, once memory was found to be short."""
        self.workers: list[Worker] = []
        self.boot_cpu_s: float | None = None
        """Processor time that the last worker took to start."""
        self.failed_starts: list[str] = []
        """How workers ended before they were ready, since the last one that was."""
        self.interrupted = False
        """Whether Ctrl-C struck in here: what the workers will send is not certain then."""
        self._source, self._limit_s, self._pin_memory = source, limit_s, plan.pin_memory.value
        self._tell = tell
        self._context: Any = multiprocessing.get_context(plan.start_method.value)
        self._mail: SimpleQueue[tuple[Worker, Any]] = SimpleQueue()
        self._started = 0
        self._was_refused = False
        """Whether the system has refused a worker before. Once may be chance, and is tried again."""
        # Called when the pool is closed or dropped, and at the latest when the program ends.
        self.close = weakref.finalize(self, end_workers, self.workers)

    @property
    def ready(self) -> int:
        """How many workers load batches."""
        return sum(worker.ready for worker in self.workers if not worker.leaving)

    @property
    def booting(self) -> bool:
        """Whether there will be more soon."""
        return self.ready < self.target

    def missing(self, at_once: int) -> int:
        """How many workers should be started now; dismisses those that are too many.

        Args:
            at_once: how many may start at the same time.
        """
        staying = [worker for worker in self.workers if not worker.leaving]
        for worker in staying[self.target :]:
            worker.leaving = True
            post(worker, None)
        room = at_once - (len(staying) - self.ready)
        return max(0, min(room, self.target - len(staying)))

    def start(self) -> None:
        """Start a worker; it will say when it is ready. If the system refuses, there are fewer."""
        try:
            self._start()
        except (OSError, EOFError) as error:  # EOFError: a helper was refused it
            for worker in self.workers:
                worker.blameless = not worker.ready
            if self._was_refused:
                self.go_on_with_fewer(f"was refused by the system: {error!r}.")
                return
            self._was_refused = True
            time.sleep(REFUSED_PAUSE_S)
            self.start()

    def _start(self) -> None:
        start = partial(start_worker, self._context, self._started, self._source, self._mail)
        # In one expression: Ctrl-C can then not strike where nobody knows the worker.
        self.workers.append(start(limit_s=self._limit_s, pin_memory=self._pin_memory))
        self._started += 1

    def go_on_with_fewer(self, end: str) -> None:
        """Try to start no more than the workers that there are.

        Args:
            end: what became of the last one, after "a worker".
        """
        staying = sum(not worker.leaving for worker in self.workers)
        if not staying:
            self.failed_starts += [end] * TRIES
            return
        self.failed_starts.clear()
        self.target = self.most = min(staying, self.target)
        self._tell(f"a worker {end} Their number is {self.target} from here on")

    def begin_anew(self) -> None:
        """End the workers there are; what they were asked for, others will be."""
        workers, self._mail = self.workers[:], SimpleQueue()
        self.workers.clear()
        self.interrupted = False
        for worker in workers:
            for task in worker.tasks:
                task.worker = None
        end_workers(workers)

    def hand_out(self, tasks: Iterable[Task], threads: int) -> None:
        """Ask workers that have room for the batches that nobody was asked for yet.

        Args:
            threads: how many read ahead in each worker.
        """
        open_tasks = deque(t for t in tasks if t.worker is None and t.loaded is None)
        while open_tasks:
            free = [w for w in self.workers if w.ready and not w.leaving]
            worker = min(free, key=lambda worker: len(worker.tasks), default=None)
            if worker is None or len(worker.tasks) >= QUEUE_LENGTH:
                return
            task = open_tasks.popleft()
            task.worker = worker
            worker.tasks.append(task)
            post(worker, (task.request, 0 if task.failures else threads))

    def take_mail(self) -> None:
        """Look through what has come, without waiting."""
        while not self._mail.empty():
            self._open(*self._mail.get())

    def wait_for(self, task: Task) -> None:
        """Wait until something came for which this batch has waited: itself, or other news."""
        waited_s = 0.0
        while True:
            try:
                self._open(*self._mail.get(timeout=LOOK_S))
                return
            except Empty:
                waited_s += LOOK_S
            # A worker ends itself when it stands still. This is for those that cannot.
            if waited_s > (self._limit_s + GRACE_S if task.worker else BOOT_S):
                at_timeout("a worker")
                for worker in self.workers:
                    if worker is task.worker or not worker.ready:
                        worker.hangs = True
                        worker.process.kill()

    def _open(self, worker: Worker, message: Ready | AtSample | Loaded | None) -> None:
        match message:
            case Ready(boot_cpu_s):
                worker.ready = True
                if self.boot_cpu_s is None:
                    self._tell(describe_cost(boot_cpu_s, private_memory_bytes(worker.process.pid)))
                self.boot_cpu_s = boot_cpu_s
                self.failed_starts.clear()
            case Loaded():
                worker.tasks.popleft().loaded = message
            case AtSample(index):
                worker.tasks[0].sample = index
            case None:
                self._bury(worker)

    def _bury(self, worker: Worker) -> None:
        """Put away a worker that is gone, and have others do what it was asked for."""
        self.workers.remove(worker)
        worker.process.join(LEAVE_S)
        exit_code, stack = end_worker(worker)
        end = describe_end(exit_code, stack, self._limit_s)
        if stack.startswith("Timeout"):
            at_timeout(f"worker {worker.number}", stack)
        if worker.hangs:
            end = "did not answer any more"
        for task in worker.tasks:
            task.worker = None
        if worker.blameless and not worker.ready:
            pass  # another one is started
        elif not worker.ready:
            self.failed_starts.append(f"{end}. What it wrote is above.")
        elif worker.leaving:
            pass  # as it was asked to; what it had not done yet, others will do
        elif worker.tasks:
            task = worker.tasks[0]  # it was working on this one
            task.failures.append(end)
            if len(task.failures) >= TRIES:
                raise ProjectError(describe_failures(task, self._source.seed))
            at = f"while it loaded {task.request}"
            self._tell(f"worker {worker.number} {end}, {at}: a new one tries again")
            task.request = task.request._replace(careful=True)
        else:
            self._tell(f"worker {worker.number} {end}, while it waited: a new one takes its place")
        was_killed = exit_code == -SIGKILL and not worker.hangs
        if was_killed and self.target > 1 and free_memory_bytes() < LOW_MEMORY_BYTES:
            self.target = self.most = self.target - 1
            self._tell(f"memory is short: the number of workers is {self.target} from here on")
