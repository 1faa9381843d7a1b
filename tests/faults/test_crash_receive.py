"""A message that is taken in while the machine dies: carried out once, answered, nothing torn."""

from pathlib import Path

from tests.faults.receive_case import RECEIVE
from tests.faults.sweep_report import report, whole
from tests.faults.test_crash_states import EVERY_KILL, SWEEP, found_after, record, states


def test_a_message_is_carried_out_once_whatever_a_crash_leaves(tmp_path: Path) -> None:
    recorded = record(RECEIVE, tmp_path)
    tried = [found_after(recorded, crash, tmp_path / "work") for crash in states(recorded)]
    failed = [found for found in tried if found]
    report(SWEEP, RECEIVE.name, points=len(tried), failed=len(failed))
    assert not failed, "\n".join(line for found in failed[:5] for line in found)
    assert len(tried) >= len(recorded.watch.steps) / (2 if whole() else 2 * EVERY_KILL)
