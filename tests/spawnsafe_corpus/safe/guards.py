import sys

from torch.utils.data import DataLoader

IS_MAIN = __name__ == "__main__"


def main():
    print(list(DataLoader([1], num_workers=1)))


if IS_MAIN:
    main()
if __name__ == "__main__" and sys.argv:
    main()
if not __name__ != "__main__":
    main()
if __name__ in ("__main__",):
    main()
if (name := __name__) == "__main__":
    main()
__name__ == "__main__" and main()
main() if __name__ == "__main__" else None
match __name__:
    case "__main__":
        main()
