from pathlib import Path

import pytest
from tests.gate.homes import Desk, open_desk

from nightledger.domain.errors import ConfigurationError
from nightledger.domain.event import EventName
from nightledger.gate import opening
from nightledger.gate.opening import (
    keep_last_good,
    record,
    require_settings,
    sign_head,
)
from nightledger.trust.keys import KeyRing, LogKey, load_log_key


def test_to_record_loads_no_key_where_the_head_kept_here_is_the_newest(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that is loaded costs more than all of the append but its disk."""
    asked: list[str] = []
    real = load_log_key

    def load(ring: KeyRing, home_id: str, origin: str) -> LogKey:
        asked.append(home_id)
        return real(ring, home_id, origin)

    monkeypatch.setattr(opening, "load_log_key", load)
    kept = desk.ring.path(desk.home.identity.id, "head.json")
    earlier = kept.read_bytes()
    record(desk.gate, [(EventName.HEARTBEAT, {"day": "2026-03-01"})], desk.moment)
    assert asked == []
    sign_head(desk.gate, desk.moment)
    assert len(asked) == 1
    kept.write_bytes(earlier)  # as from a backup: now a signature must tell how far the log is ours
    record(desk.gate, [(EventName.HEARTBEAT, {"day": "2026-03-02"})], desk.moment)
    assert len(asked) == 2
    assert desk.ledger().log.report.ok


def test_settings_that_cannot_be_used_end_what_rests_on_them_only(desk: Desk) -> None:
    Path(desk.home.settings).write_text("cooling_hours: 5\n")
    keep_last_good(open_desk(desk.root).gate)
    Path(desk.home.settings).write_text("cooling_hours: 0\n")
    gate = open_desk(desk.root).gate
    keep_last_good(gate)
    assert gate.cooling.after_proposal_s == 5 * 3600
    with pytest.raises(ConfigurationError, match="yaml:1: cooling_hours") as caught:
        require_settings(gate)
    assert "mend or remove that file" in caught.value.hint
    Path(desk.home.settings).unlink()
    require_settings(open_desk(desk.root).gate)
