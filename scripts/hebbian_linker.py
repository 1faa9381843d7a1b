#!/usr/bin/env python3
"""Nightly: associate tags that occur together with what resolved them.

Reads   memory/system/outcome-records.jsonl (new bytes only), memory/system/cursors.json
Writes  memory/system/hebbian-links.json, cursors.json, .nightledger/links/
Changes no memory.
"""

import sys

from nightledger.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main(["link", *sys.argv[1:]]))
