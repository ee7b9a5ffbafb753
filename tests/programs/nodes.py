"""Runs torchrun on two nodes: on this machine, but each with its own name, network and address.

    unshare --net python nodes.py HAPPENS ARGUMENTS OF TORCHRUN

The network of this program is the switch between them. HAPPENS says what becomes of the nodes after
the first epoch: "kill" ends all processes of the second one at once, "cut" pulls its cable, "nothing"
lets them finish. With HIDDEN in the environment, each node's own name leads to 127.0.0.1 there, as on
many machines. Prints as JSON for each node its exit code and what it printed.

The namespaces need no cleaning up, for they end with the last process in them.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

ADDRESSES = {"first": "10.77.0.1", "second": "10.77.0.2"}
SETUP = """
mount --bind "$1" /etc/hosts && hostname "$2" && echo ready && read -r go &&
ip address add "$3/24" dev eth0 && ip link set lo up && ip link set eth0 up &&
shift 3 && exec "$@" >&2
"""
PAUSE_S = 0.05


class Node:
    """A node that has its name, and waits for its network."""

    def __init__(self, name: str, folder: Path, arguments: list[str]) -> None:
        self.name, self.printed = name, folder / name
        own = ["unshare", "--net", "--uts", "--mount", "sh", "-c", SETUP, "sh"]
        hosts = folder / f"{name}-hosts"
        hosts.write_text("127.0.0.1 localhost\n")
        address = ADDRESSES[name]
        if "HIDDEN" in os.environ:
            hosts.write_text(f"127.0.0.1 localhost {name}\n")
            arguments = ["--local-addr", address, *arguments]
        with hosts.open("a") as file:
            file.writelines(f"{address} {name}\n" for name, address in ADDRESSES.items())
        own += [str(hosts), name, address]
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2"]
        torchrun += ["--rdzv-backend", "c10d", "--rdzv-endpoint", "first:29400", *arguments]
        with self.printed.open("wb") as output:
            self.process = psutil.Popen(
                [*own, *torchrun], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output
            )
        self.pid = str(self.process.pid)
        if self.process.stdout.readline() != b"ready\n":
            raise RuntimeError(self.printed.read_text())

    def plug_in(self) -> None:
        """Give it its network; it begins then."""
        set_link("add", self.name, "type", "veth", "peer", "name", "eth0", "netns", self.pid)
        set_link("set", self.name, "master", "switch", "up")
        self.process.stdin.write(b"go\n")
        self.process.stdin.close()

    def kill(self) -> None:
        """End all its processes before one of them can notice."""
        family = [*self.process.children(recursive=True), self.process]
        for act in (psutil.Process.suspend, psutil.Process.kill):
            for process in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    act(process)


def set_link(*words: str) -> None:
    subprocess.run(["ip", "link", *words], check=True)


def main(happens: str, arguments: list[str], folder: Path) -> None:
    first, second = (Node(name, folder, arguments) for name in ADDRESSES)
    set_link("add", "switch", "type", "bridge")
    set_link("set", "switch", "up")
    for node in (first, second):
        node.plug_in()
    while "epoch   1/" not in first.printed.read_text() and first.process.poll() is None:
        time.sleep(PAUSE_S)
    if happens == "cut":
        set_link("set", second.name, "down")
    elif happens == "kill":
        second.kill()
    for node in (first, second):
        code = node.process.wait()
        print(json.dumps([code, node.printed.read_text()]))


with tempfile.TemporaryDirectory() as name:
    main(sys.argv[1], sys.argv[2:], Path(name))
