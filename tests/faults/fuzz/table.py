"""Every parser that is fuzzed, by name; a new one is a row of one of these modules."""

from importlib import import_module

from tests.faults.fuzz.target import Target

NAMES = (
    "records", "signed", "texts", "stored", "left", "strangers", "asked", "searched", "hosted", "noted", "pinned",
    "exchanged", "witnessed", "drafted",
)  # fmt: skip
LISTS = [import_module(f"tests.faults.fuzz.{name}") for name in NAMES]
TARGETS: dict[str, Target] = {target.name: target for module in LISTS for target in module.TARGETS}
