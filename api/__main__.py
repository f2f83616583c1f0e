"""``python -m playout``: the command ``playout``."""

import sys

from playout.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
