"""What was measured, and what follows from it: pure functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from ..runtime.adapt import Setup, milliseconds

NEARLY = 0.9
"""Of two setups whose speeds differ by less than that, the smaller one is better."""
ENOUGH = 0.9
"""Loading that leaves the step this share of its speed is no bottleneck."""
UNSTEADY = 1.3
"""Ratio of two measurements of the same that says that something else disturbs them."""


class Trial(NamedTuple):
    """A stretch of training."""

    setup: Setup
    samples: int = 0
    seconds: float = 0.0
    wait_s: float = 0.0
    """Of these, how long the step stood still because no batch was ready."""
    failure: str = ""
    """Why it could not be measured."""

    @property
    def samples_per_s(self) -> float:
        return self.samples / self.seconds if self.seconds else 0.0

    @property
    def wait_share(self) -> float:
        """Share of the time that went into waiting for data, from 0 to 1."""
        return self.wait_s / self.seconds if self.seconds else 0.0

    def merged(self, other: Trial) -> Trial:
        """Both as one, where they are of the same setup."""
        return Trial(
            self.setup,
            self.samples + other.samples,
            self.seconds + other.seconds,
            self.wait_s + other.wait_s,
            self.failure or other.failure,
        )


class Costs(NamedTuple):
    """Seconds that one batch takes until the step has it, in each place where time goes."""

    samples: float
    """In the batch."""
    read_wait_s: float
    """Waiting in read(), or in the data set as a whole: for a disk or a network, for example."""
    prepare_wait_s: float
    """Waiting in prepare()."""
    compute_s: float
    """Computing: to read, prepare and collate."""
    hand_over_s: float
    """On its way from a worker to the main process."""

    @property
    def wait_s(self) -> float:
        return self.read_wait_s + self.prepare_wait_s


@dataclass
class Findings:
    """Grows while it is measured, so that nothing is lost when that is stopped."""

    step: Trial | None = None
    """Training without loading, on batches that are kept: no setup can be faster."""
    automatic: Trial | None = None
    trials: dict[Setup, Trial] = field(default_factory=dict)
    costs: Costs | None = None
    can_read_ahead: bool = True
    """Whether the data set allows reading threads."""
    notes: list[str] = field(default_factory=list)
    """What was not tried, and why."""
    ratios: list[float] = field(default_factory=list)
    """Of each two measurements of the same, the larger to the smaller."""

    def add(self, trial: Trial) -> None:
        """Note a trial; another one of the same setup is added to it."""
        self.trials[trial.setup] = self._together(self.trials.get(trial.setup), trial)

    def add_step(self, trial: Trial) -> None:
        """Note a trial of the step alone."""
        self.step = self._together(self.step, trial)

    def _together(self, before: Trial | None, trial: Trial) -> Trial:
        if before is None:
            return trial
        if before.samples and trial.samples:
            rates = before.samples_per_s, trial.samples_per_s
            self.ratios.append(max(rates) / min(rates))
        return before.merged(trial)

    @property
    def measured(self) -> list[Trial]:
        """Trials of fixed setups that were not in vain, from the smallest setup to the largest."""
        found = [trial for trial in self.trials.values() if trial.samples and not trial.failure]
        return sorted(found, key=by_size)

    @property
    def best(self) -> Trial | None:
        """The smallest setup that is as fast as the fastest, as far as that can be told."""
        trials = self.measured
        if self.automatic and self.automatic.samples and self.automatic.setup not in self.trials:
            trials = sorted([*trials, self.automatic], key=by_size)
        most = max((trial.samples_per_s for trial in trials), default=0.0)
        enough = min(NEARLY, 1 / self.noise) * most
        return next((trial for trial in trials if trial.samples_per_s >= enough), None)

    @property
    def noise(self) -> float:
        """By which ratio measurements of the same differ."""
        return median(self.ratios) if self.ratios else 1.0


def by_size(trial: Trial) -> tuple[int, int]:
    """For sorting: workers cost more than threads."""
    return trial.setup.workers, trial.setup.threads


def worker_counts(cpus: int, most: int, *, mostly_waits: bool = False) -> list[int]:
    """Numbers of workers to try: from none to a few more than there are processors.

    Args:
        most: as many as there may be.
        mostly_waits: whether loading waits more than it computes; then more workers may be better.
    """
    end = most if mostly_waits else min(cpus + max(1, cpus // 4), most)
    counts = [0]
    while counts[-1] < end:
        counts.append(min(end, max(counts[-1] + 1, counts[-1] * 3 // 2)))
    return counts


def conclude(findings: Findings) -> list[str]:
    """Say whether loading is the bottleneck, where time goes, and what to do."""
    step, best = findings.step, findings.best
    if step is None or not step.samples or best is None:
        return ["Too little was measured to say anything: give it more --seconds."]
    alone = findings.trials.get(Setup(0, 0))
    sentences = [verdict(step, best, alone, findings.noise)]
    if findings.costs:
        sentences.append(where_time_goes(findings.costs, step))
        if loading_holds_up(best, step, findings.noise):
            sentences.append(what_to_do(findings.costs, findings.can_read_ahead))
    if automatic := findings.automatic:
        # A fixed setup was measured twice, and at other times.
        sentences.append(compare(findings.trials.get(automatic.setup, automatic), best))
    if findings.noise > UNSTEADY or best.samples_per_s > UNSTEADY * step.samples_per_s:
        sentences.append(
            f"Measurements of the same differ by {findings.noise - 1:.0%}: something else keeps this "
            "machine busy. Give it more --seconds, or try again when it is idle."
        )
    return sentences


def loading_holds_up(trial: Trial, step: Trial, noise: float) -> bool:
    """Whether the step would be clearly faster without loading.

    Within a stretch, waiting and steps are disturbed alike, so that a small difference from the
    step alone counts if the step stood still. Without that, loading may still take processors away
    from the step; but only a difference that is no noise says so.
    """
    share = trial.samples_per_s / step.samples_per_s
    stands_still = trial.wait_share > 1 - ENOUGH
    return share < ENOUGH and (stands_still or share < ENOUGH / noise)


def verdict(step: Trial, best: Trial, alone: Trial | None, noise: float) -> str:
    """Is loading the bottleneck, would it be without workers and threads, or not at all?

    Args:
        alone: a trial in which the main process alone loads.
    """
    possible = f"the step alone takes {step.samples_per_s:,.0f} samples/s"
    reached = f"{best.samples_per_s:,.0f} samples/s"
    if loading_holds_up(best, step, noise):
        return (
            f"Loading is the bottleneck: {possible}, but with the best setup, {best.setup}, it gets "
            f"{reached}, and stands still for {best.wait_share:.0%} of the time."
        )
    if alone and alone.setup != best.setup and loading_holds_up(alone, step, noise):
        return (
            f"Loading is no bottleneck with {best.setup}: {possible}, and it gets {reached}. The "
            f"main process alone would get {alone.samples_per_s:,.0f} samples/s."
        )
    return (
        f"Loading is not the bottleneck: {possible}, and with {best.setup} it gets {reached}. What "
        "makes the step faster: an accelerator, --amp, --compile, a larger --batch-size, or a "
        "smaller model."
    )


def where_time_goes(costs: Costs, step: Trial) -> str:
    """The four places where the time of a batch goes."""
    step_s = costs.samples / step.samples_per_s
    return (
        f"A batch takes {milliseconds(costs.wait_s)} of waiting and {milliseconds(costs.compute_s)} "
        f"of computing to load, {milliseconds(costs.hand_over_s)} on its way from a worker, and "
        f"{milliseconds(step_s)} in the step."
    )


def what_to_do(costs: Costs, can_read_ahead: bool) -> str:
    """The cure for what takes longest of loading."""
    if costs.hand_over_s > costs.wait_s + costs.compute_s:
        return (
            "Its way from a worker takes longest: send less, such as uint8 in place of float32, and "
            "convert it on the device."
        )
    if costs.compute_s > costs.wait_s:
        return (
            "Computing takes longest: `doctor` names the slowest line of the data set. Do once what "
            "is the same in each epoch, and store the result; or use a machine with more processors."
        )
    if can_read_ahead and costs.prepare_wait_s > costs.read_wait_s:
        return (
            "Waiting takes longest, in prepare(), where only processes can shorten it: move it to "
            "read(), and threads will do it ahead."
        )
    if can_read_ahead:
        return (
            "Waiting takes longest: put the data on a nearer or faster disk, into fewer and larger "
            "files, or let it stay in memory after the first epoch."
        )
    return (
        "Waiting takes longest, and only processes can shorten it here: split the data set into "
        "read() and prepare(), and threads will read ahead."
    )


def compare(automatic: Trial, best: Trial) -> str:
    """How good the automatic choice is."""
    rate = automatic.samples_per_s
    share = rate / best.samples_per_s
    said = f"The automatic choice took {automatic.setup}: {rate:,.0f} samples/s"
    if share >= ENOUGH:
        return f"{said}, about as fast as the best. Nothing has to be set."
    return f"{said}, {share:.0%} of the best. --save has `train` use that one."
