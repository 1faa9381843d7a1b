#!/usr/bin/env python3
"""At any time: check the audit log, its signatures and the gated files.

Reads   audit/, config/nightledger/, the gated files
Writes  nothing
Changes no memory.
"""

import sys

from nightledger.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main(["verify", *sys.argv[1:]]))
