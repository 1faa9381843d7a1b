"""Answer an event of an agent's host.

Context at a session's start and at a prompt, a refusal before a write.

hook HOST EVENT  reads what the host sends on standard input and answers as the
                 host defines it; silent and with exit status 0 whatever is
                 wrong, so that no session ever stops here. Hosts call
                 scripts/prompt_hook.py, which does the same and starts faster:
                 nightledger hosts

Reads   standard input; .nightledger/search/, the staged context
Writes  memory/system/exposures.jsonl, .nightledger/prompts/
Changes no memory.
"""

import argparse
import sys

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from typing import NoReturn

    from nightledger.surfaces.context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    """Have wrong words end silently."""
    parser.error = _end  # type: ignore[method-assign]


def run(options: argparse.Namespace, context: "Context") -> int:
    """Answer."""
    from nightledger.surfaces.hook.running import main

    main(["--home", context.home, "--now", context.now_text, *options.words])
    return 0


def _end(message: str) -> "NoReturn":
    """End as if nothing were asked: exit status 2 would block the user's prompt."""
    del message
    sys.exit(0)
