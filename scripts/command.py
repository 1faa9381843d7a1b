#!/usr/bin/env python3
"""The command line: every verb; ``make setup`` puts it into .venv/bin as ``nightledger``.

Reads, writes and changes what the verb says: ``nightledger VERB --help``.
"""

import sys

from nightledger.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
