"""One way to call a verb in this process, as the command line does."""

import argparse
import importlib

from nightledger.surfaces.cli import add_options, spelled_out
from nightledger.surfaces.context import Context


def call_verb(verb: str, home: str, *words: str, now: str | None = None, as_json: bool = False) -> int:
    """Call a verb of a home with words, and give its exit status."""
    verb, spelled = spelled_out(verb, list(words))
    module = importlib.import_module(f"nightledger.surfaces.verbs.{verb.replace('-', '_')}")
    parser = argparse.ArgumentParser(prog=verb)
    add_options(parser, module)
    context = Context(verb=verb, home=home, now_text=now, json=as_json)
    status: int = module.run(parser.parse_args(spelled), context)
    return status
