"""python -m spawnsafe"""

import sys

from spawnsafe.cli import main

if __name__ == "__main__":
    sys.exit(main())
