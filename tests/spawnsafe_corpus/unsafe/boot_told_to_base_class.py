"""What a base class or metaclass does with a new class, it does at import."""

from torch.utils.data import DataLoader


class Base:
    def __init_subclass__(cls):
        cls.first = next(iter(DataLoader(cls.numbers, num_workers=2)))


class Numbers(Base):  # expect: SPS101
    numbers = [1, 2, 3]


class Register(type):
    def __init__(cls, name, bases, members):
        super().__init__(name, bases, members)
        cls.all = list(DataLoader([1, 2], num_workers=2))


class Registered(metaclass=Register):  # expect: SPS101
    pass
