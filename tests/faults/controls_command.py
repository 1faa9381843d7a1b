"""The command line with a fault in it: ``controls_command.py FAULT VERB ...`` (tests only)."""

import sys

from tests.faults.controls import planted

from nightledger.surfaces.cli import main

if __name__ == "__main__":
    with planted(sys.argv[1]):
        sys.exit(main(sys.argv[2:]))
