import json
from dataclasses import replace

from tests.domain.gate_values import change
from tests.gate.homes import evidence

from nightledger.domain.proposal import Flag
from nightledger.surfaces.listing import change_record

SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
TOLD = "zebra77hatch"


def test_in_a_record_of_a_change_every_text_has_its_secrets_masked() -> None:
    said = f"key {SECRET} {TOLD}"
    full = replace(
        change(1),
        section=said,
        before=said,
        after=said,
        diff=f"+{said}\n",
        reason=said,
        evidence=(evidence("memory/a.md"),),
        flags=(Flag(rule="single_source", message=said),),
    )
    record = change_record(full, "open", told=frozenset({TOLD}))
    dumped = json.dumps(record)
    assert SECRET not in dumped
    assert TOLD not in dumped
    texts = [record[name] for name in ("section", "before", "after", "diff", "reason")]
    assert all("[masked: 40 bytes]" in text for text in [*texts, record["flags"][0]["message"]])
