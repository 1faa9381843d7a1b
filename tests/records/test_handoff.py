"""What happens to the view while a session saves."""

from pathlib import Path
from time import process_time
from typing import Any

import pytest
from tests.blackbox.world import found
from tests.homes import make_home

from nightledger.domain.record import VIEW_FIRST_LINE, Author
from nightledger.files.home import Home
from nightledger.records.handoff import open_handoff, read_view, save_handoff
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


def test_a_bracket_that_is_left_open_holds_nobody_up_however_many_items_it_names(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    said = f"Look at (h-{'a' * 8}" + f", h-{'b' * 8}" * 10_000
    Path(home.handoff).write_text(
        f"{VIEW_FIRST_LINE}\n\n## Unfinished\n\n- [ ] {said}\n- [x] Fed ({said[9:]})\n"
    )
    begun = process_time()
    view = read_view(home)
    assert process_time() - begun < 5
    assert (view.added, view.ticked) == (({"list": "unfinished", "text": said},), (f"h-{'b' * 8}",))
