"""Serve an agent's host over MCP, on standard input and output.

A client starts it: put 'nightledger mcp --home DIR' where it takes a command.
Its tools read, log, record and propose; none signs, and what they answer is
what an agent may see. 'lean' is the usual profile: nine tools, of which 'do'
reaches the rest by name; 'full' has each as its own. 'mcp_profile' in the
home's settings names another for every client.

Reads   what the tools' verbs read
Writes  what the tools' verbs write
Changes no memory.
"""

import argparse
import gc
import json
import os
import sys

from nightledger.domain.errors import ConfigurationError
from nightledger.files.configuration import load_settings
from nightledger.files.home import Home
from nightledger.surfaces.context import CHECKOUT, Context


def run(options: argparse.Namespace, context: Context) -> int:
    """Serve until the client goes; or print what is offered, or what a client's settings need."""
    from nightledger.doors.tools import Desk

    profile = options.profile or load_settings(Home(context.home_path)).mcp_profile
    desk, program = Desk(profile), (sys.executable, os.path.join(CHECKOUT, "scripts", "command.py"))
    if options.tools:
        rows = [
            {"name": name, "description": row.says, "inputSchema": schema}
            for name, row, schema in desk.tools()
        ]
        context.emit(rows)
        for row in rows:
            context.print(f"{row['name']:<12} {row['description']}")
        context.print(f"{len(json.dumps(rows, separators=(',', ':')))} bytes of schema")
        return 0
    gc.disable()  # the SDK's models hold no cycles: to look for them takes a tenth of the start
    try:
        from nightledger.doors.server import run as serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("mcp", "mcp_types", "anyio"):
            raise
        raise ConfigurationError(
            "the package 'mcp' is not installed: this door is an extra", hint="make setup-doors"
        ) from error
    gc.enable()
    gc.freeze()
    common = (f"--home={context.home_path}", *((f"--now={context.now_text}",) if context.now_text else ()))
    serve(profile, program, common)
    return 0
