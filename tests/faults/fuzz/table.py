"""Every parser that is fuzzed, by name; a new one is a line in one of the lists."""

from tests.faults.fuzz import (
    asked,
    exchanged,
    hosted,
    left,
    noted,
    pinned,
    records,
    searched,
    signed,
    stored,
    strangers,
    texts,
    witnessed,
)
from tests.faults.fuzz.target import Target

LISTS = (
    records,
    signed,
    texts,
    stored,
    left,
    strangers,
    asked,
    searched,
    hosted,
    noted,
    pinned,
    exchanged,
    witnessed,
)
TARGETS: dict[str, Target] = {target.name: target for module in LISTS for target in module.TARGETS}


def module_of(name: str) -> str:
    """Give the module that lists a target: a process that tries one target imports no others."""
    return next(module.__name__ for module in LISTS if TARGETS[name] in module.TARGETS)
