"""Run by torchrun: do ranks take the steps that one process would take with the same samples?"""

import json
import sys
from importlib import import_module

import torch

PACKAGE = sys.argv[1]
LENGTH, BATCH_SIZE, RATE = 13, 2, 0.1
batches = import_module(f"{PACKAGE}.runtime.batches")
ranks = import_module(f"{PACKAGE}.runtime.ranks")
together = import_module(f"{PACKAGE}.runtime.together")


def main() -> None:
    me = ranks.read_ranks()
    inputs = torch.arange(LENGTH * 3.0).reshape(LENGTH, 3).sin()
    targets = inputs.sum(dim=1, keepdim=True).cos()
    torch.manual_seed(me.rank)  # the first rank's weights are those of all
    model = torch.nn.Linear(3, 1)
    progress = import_module(f"{PACKAGE}.runtime.progress").Progress()
    trained = together.train_together(model, progress)
    reference = torch.nn.Linear(3, 1)
    reference.load_state_dict(model.state_dict())
    share = {"rank": me.rank, "world_size": me.world_size}
    order = {"seed": 0, "epoch": 0, "shuffle": True}
    keys = list(batches.batch_keys(LENGTH, BATCH_SIZE, **order))
    own_keys = batches.batch_keys(LENGTH, BATCH_SIZE, **order, **share, even=True)
    steps = list(batches.epoch_steps(LENGTH, BATCH_SIZE, **share))
    for key in progress.follow(own_keys, steps):
        trained.zero_grad()
        loss = (trained(inputs[key.indices]) - targets[key.indices]).square().mean()
        loss.backward()
        progress.add(loss, len(key.indices))
        at_once = [index for key in keys[: me.world_size] for index in key.indices]
        del keys[: me.world_size]
        reference.zero_grad()
        (reference(inputs[at_once]) - targets[at_once]).square().mean().backward()
        with torch.no_grad():
            for network in (model, reference):
                for weights in network.parameters():
                    assert weights.grad is not None
                    weights.sub_(weights.grad, alpha=RATE)
        torch.testing.assert_close(model.weight, reference.weight)
    shares = ranks.total(*(step.own_samples for step in steps), progress.loss_sum)
    found = {
        "samples": sum(shares[:-1]),
        "counted": [progress.batches, progress.samples],
        "stands_in": ranks.highest(int(any(step.own_samples == 0 for step in steps)))[0],
        "first_says": ranks.asked_of_first(lambda: me.rank),
    }
    if me.is_first:
        print(json.dumps(found))


with together.joined_ranks("cpu", batch_s=60):
    main()
