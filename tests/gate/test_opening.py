import pytest
from tests.gate.homes import Desk

from nightledger.domain.decision import EventName
from nightledger.gate import opening
from nightledger.gate.opening import record, sign_head
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
