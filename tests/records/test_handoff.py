"""What happens to the view while a session saves."""

from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.world import found

from nightledger.domain.record import Author
from nightledger.files.home import Home
from nightledger.records.handoff import open_handoff, save_handoff
from nightledger.records.keeping import Sitting, append_events


def test_what_is_written_into_the_view_while_a_session_saves_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = found(tmp_path)
    home, view = Home(str(world.home)), world.home / "memory/state/session-handoff.md"

    def sitting(session: str) -> Sitting:
        return Sitting(at=world.now, by=Author.AGENT, session=session)

    save_handoff(home, {"unfinished": ["Ask Mara"]}, sitting("a"))

    def written_meanwhile(*words: Any) -> Any:
        view.write_text(view.read_text() + "- [ ] Water the ferns\n")
        return append_events(*words)

    with monkeypatch.context() as patched:
        patched.setattr("nightledger.records.keeping.append_events", written_meanwhile)
        assert not save_handoff(home, {"carry": ["*"]}, sitting("b")).view
    assert save_handoff(home, {"carry": ["*"]}, sitting("c")).view
    assert [one.fields["text"] for one in open_handoff(home, world.now)] == ["Ask Mara", "Water the ferns"]
