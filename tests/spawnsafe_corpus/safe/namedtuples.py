import collections
import typing
from torch.utils.data import DataLoader

Point = collections.namedtuple("Point", ["x", "y"], defaults=[0, 0])
Pair = typing.NamedTuple("Pair", [("a", int), ("b", int)])
_T = collections.namedtuple("_T", "fn")


def make():
    return [Point(1), Pair(1, 2), _T(abs)]


if __name__ == "__main__":
    print(list(DataLoader(make(), num_workers=1, collate_fn=list)))
