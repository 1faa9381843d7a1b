#!/usr/bin/env python3
"""By hand: walk through ten recorded days of an agent and its operator's mornings.

Reads   config/demo/
Writes  demo-home/ and demo-home.keys/ (--home DIR puts them elsewhere), emptied first
Changes the memory of the simulated home only.
"""

import sys

from nightledger.demo.walk import main

if __name__ == "__main__":
    sys.exit(main())
