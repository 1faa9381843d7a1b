"""Every parser that is fuzzed, by name; a new one is a line in one of the three lists."""

from tests.faults.fuzz.records import TARGETS as RECORDS
from tests.faults.fuzz.signed import TARGETS as SIGNED
from tests.faults.fuzz.target import Target
from tests.faults.fuzz.texts import TARGETS as TEXTS

TARGETS: dict[str, Target] = {target.name: target for target in (*RECORDS, *SIGNED, *TEXTS)}
