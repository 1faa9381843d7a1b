#!/usr/bin/env python3
"""By hand: walk through sixty simulated days of an agent and its operator's morning.

Reads   scripts/nightledger/demo/templates/
Writes  demo-home/ and demo-home.keys/ (--home DIR puts them elsewhere), emptied first
Changes the memory of the simulated home only.
"""

import sys

from nightledger.demo.command import main

if __name__ == "__main__":
    sys.exit(main())
