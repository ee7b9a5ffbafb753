"""Accelerators that are touched at import, or by what workers run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spawnsafe.facts.accelerators import ACCELERATORS, ASKS, FACTORIES, MOVES, TOUCHES
from spawnsafe.module import Finding, Module, Rule, is_loader, place, short
from spawnsafe.rules.start_method import held
from spawnsafe.trace import CHILD, WORKER, Event
from spawnsafe.values import Const, Instance, Joined, Name, Value, constant, options_of

IN_WORKERS = ("data set", "collate_fn", "worker_init_fn")
DEFAULT_DEVICE = ("torch.set_default_device", "torch.set_default_tensor_type")


def is_accelerator(value: Value | None) -> bool:
    """Whether a value is, or may be, the name of an accelerator or a torch.device of one."""
    for option in options_of(value):
        text = constant(option)
        if isinstance(option, Joined) and option.parts:
            text = constant(option.parts[0])
        if isinstance(text, str) and text.split(":")[0] in ACCELERATORS:
            return True
        if isinstance(option, Instance):
            if option.qual == "torch.accelerator.current_accelerator":
                return True
            if option.qual == "torch.device" and is_accelerator(option.argument("type", 0)):
                return True
    return False


def touches(value: Value | None) -> str:
    """How the call that made a value touches an accelerator; "" if it does not."""
    if not isinstance(value, Instance) or not isinstance(value.of, Name):
        return ""
    qual = value.qual
    method = qual.rpartition(".")[2]
    if qual in TOUCHES:
        return f"{short(qual)}() sets up the accelerator"
    if value.owner is not None and method in MOVES and not _is_setting(qual):
        return f".{method}() moves to an accelerator"
    target = [*value.args[:1], value.kwargs.get("device")]
    if value.owner is not None and method == "to" and any(map(is_accelerator, target)):
        return ".to() moves to an accelerator"
    if qual in FACTORIES and is_accelerator(value.kwargs.get("device")):
        return f"{short(qual)}() makes a tensor on an accelerator"
    if qual == "torch.load" and is_accelerator(value.argument("map_location", 1)):
        return "torch.load() loads to an accelerator"
    return ""


def _is_setting(qual: str) -> bool:
    """Methods of that name on objects that are no tensors or modules."""
    return qual.startswith(("argparse.", "unittest.", "os.", "re."))


def at_import(module: Module) -> Iterator[Finding]:
    for event in module.at_import:
        reason = touches(event.value) if event.kind == "call" else ""
        if reason and module.mentions(r"\btorch\b|lightning|transformers|monai"):
            yield Finding(
                event.root,
                f"{reason}{place(event)} at import: each worker that imports the module does so"
                " too",
                "Move it into main(). A torch.device object alone touches nothing.",
            )


def in_worker(module: Module) -> Iterator[Finding]:
    for event in module.trace.during(WORKER):
        errand = event.worker
        if event.kind != "call" or errand is None or errand.role not in IN_WORKERS:
            continue
        reason = touches(event.value)
        if reason:
            yield _in_worker(event.node, f"{reason} in {_place(event)}, which workers run")
    for shipment in module.trace.shipments:
        if shipment.role == "data set":
            for part in held(shipment.value):
                reason = touches(part)
                if reason and isinstance(part, Instance):
                    yield _in_worker(
                        part.node, f"{reason}, and the data set that goes to workers holds it"
                    )


def _place(event: Event) -> str:
    return f"{event.function.name}()" if event.function else "a function"


def _in_worker(node: ast.AST, message: str) -> Finding:
    return Finding(
        node, message, "Stay on the CPU in workers; move each batch in the training loop."
    )


def asked_at_import(module: Module) -> Iterator[Finding]:
    child = module.trace.during(CHILD)
    if not any(event.what in ASKS for event in child):
        return
    uses_it = any(event.kind == "call" and touches(event.value) for event in child)
    if not uses_it and not module.has_workers:
        return
    decorators = [
        decorator
        for node in ast.walk(module.tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        for decorator in node.decorator_list
    ]
    skips = {id(part) for decorator in decorators for part in ast.walk(decorator)}
    for event in child:
        # skipif(not torch.cuda.is_available()) stands in most test suites.
        if event.kind == "call" and event.what in ASKS and id(event.root) not in skips:
            yield Finding(
                event.root,
                f"{short(event.what)}(){place(event)} at import sets up the driver: a process that"
                " is forked later cannot use the accelerator",
                "Ask in main(), where the device is needed.",
            )


def default_device(module: Module) -> Iterator[Finding]:
    loads = any(is_loader(event.value) for event in module.trace.events)
    for event in module.trace.events:
        if event.kind != "call" or event.what not in DEFAULT_DEVICE:
            continue
        given = event.args[0] if event.args else next(iter(event.kwargs.values()), None)
        if _is_not_cpu(given) and (loads or (event.phase == CHILD and module.has_workers)):
            yield Finding(
                event.node,
                f"{short(event.what)}() reaches the sampler and the seeds of the workers, which"
                " need tensors on the CPU",
                "Give device= where tensors are made.",
            )


def _is_not_cpu(value: Value | None) -> bool:
    for option in options_of(value):
        if isinstance(option, Instance) and option.qual == "torch.device":
            return _is_not_cpu(option.argument("type", 0))
        if isinstance(option, Const) and isinstance(option.value, str):
            name = option.value
            if "FloatTensor" in name or "Tensor" in name:
                return "cuda" in name
            return name.split(":")[0] != "cpu"
        if isinstance(option, Name):
            return option.qual.startswith("torch.cuda.")
    return is_accelerator(value)


def pinned(module: Module) -> Iterator[Finding]:
    """pin_memory=True in a project that says that it has no CUDA."""
    for event in module.trace.events:
        value = event.value
        if event.kind != "call" or not isinstance(value, Instance) or not is_loader(value):
            continue
        pins = constant(value.call.kwargs.get("pin_memory")) is True
        if pins and (not module.project.has_cuda or _is_only_for_cpu(module)):
            yield Finding(
                event.node,
                "pin_memory=True copies each batch for an accelerator that the project does not"
                " have",
                'Use pin_memory=(device.type == "cuda").',
            )


def _is_only_for_cpu(module: Module) -> bool:
    """Whether the file names a device that needs no pinning, and none that does."""
    named = module.mentions(r"""device\(?\s*=?\s*["'](cpu|mps)["']|\.to\(["'](cpu|mps)["']\)""")
    return named and not module.mentions(r"(?i)cuda|xpu|accelerator|hip")


RULES = [
    Rule("SPS401", "accelerator-at-import", "warning", ("CUDA-1", "CUDA-2"), at_import, False),
    Rule(
        "SPS402", "accelerator-in-worker", "error",
        ("CUDA-1", "CUDA-2", "CUDA-3", "CUDA-4"), in_worker,
    ),
    Rule("SPS403", "accelerator-asked-at-import", "warning", ("CUDA-1",), asked_at_import, False),
    Rule("SPS404", "default-device", "error", ("CUDA-5",), default_device),
    Rule("SPS405", "pinned-without-cuda", "warning", ("CUDA-6",), pinned),
]  # fmt: skip
