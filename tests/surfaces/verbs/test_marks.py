"""Small files that spare cron a full look: whatever somebody wrote into them, the full look is taken."""

from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.surfaces.context import Context
from nightledger.surfaces.verbs import apply, guard

DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        DEEP,
        '{"size": 0, "after": "x"}',
        '{"size": 0, "after": null}',
        f'{{"size": 0, "after": null, "at": {"9" * 400}}}',
        f'{{"at": {"9" * 400}, "looks": {{"a": null}}}}',
    ],
)
def test_a_mark_that_makes_no_sense_spares_nothing(text: str, tmp_path: Path) -> None:
    home = make_home(tmp_path, simulated=True)
    Path(home.work_dir).mkdir(exist_ok=True)
    Path(home.audit_log).write_bytes(b"")
    for mark in (apply.MARK, guard.MARK, apply.WITNESS_MARK):
        Path(home.path(mark)).write_text(text)
    context = Context(verb="guard", home=home.root, now_text="2026-03-01T12:00:00Z", json=False)
    assert not apply._nothing_yet(context)
    assert not guard._nothing_new(context)
    assert not apply._witnesses_due(context)
