"""Jobs of SLURM, with programs that stand in for its own: they save, and go on in the next turn."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest
import torch

from children import Ended, run_child
from rendering import Project
from running import TIMEOUT_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="SLURM is for Linux")

# As far as SLURM 22.05 did it, with two nodes, when the script was written.
STAND_INS = {
    "srun": '''
"""Runs its command once, here; if it is told to end itself, it kills all processes at once."""
import os, signal, subprocess, sys
command = [part for part in sys.argv[1:] if part != "--kill-on-bad-exit=0"]
step = subprocess.Popen(command, start_new_session=True)
signal.signal(signal.SIGTERM, lambda *_: os.killpg(step.pid, signal.SIGKILL))
with open("step", "w") as file:
    file.write(str(step.pid))
sys.exit(step.wait())
''',
    "scancel": '''
"""Sends a signal to all processes of the step."""
import os, signal, sys
assert sys.argv[1:] == ["--signal=TERM", "71"], sys.argv
with open("step") as file:
    os.killpg(int(file.read()), signal.SIGTERM)
''',
    "scontrol": '''
"""All nodes are this one; prints what it is told besides."""
import os, sys
answers = {
    "show hostnames node[1]": "localhost",
    "show job 71": f"PreemptEligibleTime=2026-12-02T18:44:46 PreemptTime={os.environ['PREEMPTED']}",
}
asked = " ".join(sys.argv[1:])
print(answers.get(asked, f"scontrol {asked}"))
''',
}
TORCHRUN = '''
"""Ends with the code in END, when SIGTERM comes or, without AWAITS, at once."""
import os, signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(int(os.environ["END"])))
print("torchrun", *sys.argv[1:], flush=True)
while "AWAITS" in os.environ:
    time.sleep(0.01)
sys.exit(int(os.environ["END"]))
'''
JOB = {
    "SLURM_JOB_ID": "71",
    "SLURM_JOB_NODELIST": "node[1]",
    "SLURM_JOB_NUM_NODES": "1",
    "SLURM_GPUS_ON_NODE": "2",
    "SLURM_CPUS_PER_TASK": "4",
    "PREEMPTED": "None",
}


def run_job(
    project: Project,
    folder: Path,
    *options: str,
    programs: dict[str, str] = STAND_INS,
    signal_at: tuple[str, signal.Signals] | None = None,
    **variables: str,
) -> Ended:
    """Run the project's script as SLURM runs it on the first node of a job."""
    for name, program in programs.items():
        (folder / name).write_text(f"#!{sys.executable}{program}", encoding="utf-8")
        (folder / name).chmod(0o700)
    path = f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    return run_child(
        ["bash", project.folder / "slurm" / "train.sbatch", *options],
        cwd=folder,
        environment={**JOB, "PATH": path, "PYTHONPATH": project.folder / "src", **variables},
        timeout_s=TIMEOUT_S,
        signal_at=signal_at,
    )


@pytest.mark.parametrize(
    ("variables", "sent", "code", "goes_on"),
    [
        ({"END": "0"}, None, 0, False),
        ({"END": "3"}, None, 3, False),
        ({"END": "1", "AWAITS": ""}, signal.SIGUSR1, 1, True),
        ({"END": "0", "AWAITS": ""}, signal.SIGUSR1, 0, False),
        ({"END": "1", "PREEMPTED": "2026-12-02T18:45:31"}, None, 1, True),
    ],
    ids=["done", "failed", "time is up", "done in time", "preempted"],
)
def test_a_job_goes_back_into_the_queue_when_it_was_not_done(
    variables: dict[str, str],
    sent: signal.Signals | None,
    code: int,
    goes_on: bool,
    everything: Project,
    tmp_path: Path,
) -> None:
    programs = {**STAND_INS, "torchrun": TORCHRUN}
    signal_at = ("torchrun", sent) if sent else None
    ended = run_job(
        everything, tmp_path, "--epochs", "7", programs=programs, signal_at=signal_at, **variables
    )
    assert ended.code == code and ended.left == [], ended.output
    launched, *others = ended.output.splitlines()
    assert others == ["scontrol requeue 71"] * goes_on
    assert launched == (
        "torchrun --nnodes 1 --nproc-per-node 2 --rdzv-id 71 --rdzv-backend c10d "
        "--rdzv-endpoint localhost:20071 --shutdown-timeout 90 "
        f"-m {everything.package} train --epochs 7"
    )


def test_a_job_without_gpus_says_so(everything: Project, tmp_path: Path) -> None:
    script = everything.folder / "slurm" / "train.sbatch"
    options = re.findall(r"^#SBATCH (--\S+)$", script.read_text(encoding="utf-8"), re.M)
    assert {"--signal=B:USR1@120", "--requeue", "--open-mode=append"} < set(options)
    ended = run_job(everything, tmp_path, SLURM_GPUS_ON_NODE="")
    assert ended.code != 0 and "the job has no GPUs: ask for them with" in ended.output


@pytest.mark.full
def test_a_job_saves_before_its_time_is_up_and_goes_on(everything: Project, tmp_path: Path) -> None:
    options = ["--epochs", "3", "--batch-size", "16", "--loader.num-workers", "1"]
    signal_at = ("epoch   1/3", signal.SIGUSR1)
    ended = run_job(everything, tmp_path, *options, signal_at=signal_at)
    assert ended.code != 0 and ended.left == [], ended.output
    assert ended.output.count("stopped by SIGTERM; saved after the last step") == 1
    assert ended.output.splitlines()[-1] == "scontrol requeue 71"
    assert "a new one" not in ended.output  # workers do not heed the signal

    ended = run_job(everything, tmp_path, *options)
    assert ended.code == 0 and ended.left == [], ended.output
    assert "scontrol" not in ended.output and "epoch   1/3" not in ended.output
    (run_dir,) = (tmp_path / "runs").iterdir()
    assert torch.load(run_dir / "last.pt", weights_only=True)["progress"]["epoch"] == 3
