"""The quick index beside the search index: in step, noticed when it is not, and never what a search fails at."""

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.engines import BOTH, take_away, use
from tests.gate.homes import Desk, addition
from tests.recall.asking import ask, put

from nightledger.domain.search import engines
from nightledger.domain.search.engines import Engine
from nightledger.domain.search.values import Found, Kind
from nightledger.files import quick_index
from nightledger.files.quick_index import QuickIndexError, QuickWriter, quick_dir
from nightledger.files.search_index import index_path, open_store
from nightledger.recall import candidates, quick
from nightledger.recall.indexing import keep_up, refresh

SCRIPTS = Path(quick_index.__file__).parents[2]


@pytest.fixture(params=BOTH)
def home(desk: Desk, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Give a home with a few logs, in which tantivy is wanted."""
    use(request.param, monkeypatch)
    put(desk, "memory/2026-02-26.md", "# Garden\n\n- The lilac was planted by Ada.\n- Roses wait.\n")
    put(desk, "memory/2026-02-27.md", "# Boat\n\n- The rudder of the boat was mended.\n")
    return desk


@pytest.fixture
def makings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give what is made anew as a whole, as it is made."""
    made: list[str] = []
    own = quick._made

    def counted(store: Any) -> Any:
        made.append(store.path)
        return own(store)

    monkeypatch.setattr(quick, "_made", counted)
    return made


def place(desk: Desk) -> Path:
    return Path(quick_dir(index_path(desk.home)))


def answers(desk: Desk, text: str, **fields: Any) -> list[tuple[str, float]]:
    return [(hit.chunk.text, hit.score) for hit in ask(desk, text, **fields).hits]


def by_fts5(desk: Desk, text: str, **fields: Any) -> Found:
    """Ask the same home without tantivy, in a copy of it."""
    before = desk.gate
    desk.set(search_engine=Engine.FTS5)
    aside = place(desk).with_name("aside")
    if place(desk).exists():
        place(desk).rename(aside)
    try:
        return ask(desk, text, **fields)
    finally:
        desk.gate = before
        if aside.exists():
            aside.rename(place(desk))


def test_it_finds_what_fts5_finds(home: Desk, makings: list[str]) -> None:
    for text in ("lilac", "planting roses", "rudder Ada boat", "nothing of it"):
        found = ask(home, text)
        assert found.engines == ("tantivy",)
        assert found.hits == by_fts5(home, text).hits
    assert by_fts5(home, "lilac").engines == ("fts5",)
    assert len(makings) == 1


def test_a_change_is_followed_and_nothing_made_anew(home: Desk, makings: list[str]) -> None:
    ask(home, "lilac")
    log = "memory/2026-02-27.md"
    edits = [
        "# Boat\n\n- The rudder of the boat was sold.\n- An anchor came.\n",
        "# Boat\n\n- An anchor came.\n",
        "# Lilac\n\n- Roses, and lilac by the boat.\n\n# More\n\n- The rudder is back.\n",
    ]
    for text in edits:
        put(home, log, text)
        for query in ("boat", "rudder", "anchor", "lilac roses"):
            found = ask(home, query)
            assert found.engines == ("tantivy",)
            assert found.hits == by_fts5(home, query).hits
    Path(home.home.path(log)).unlink()
    assert answers(home, "anchor rudder") == []
    assert len(makings) == 1


def test_it_is_kept_up_at_the_end_of_a_verb(home: Desk, makings: list[str]) -> None:
    ask(home, "lilac")
    home.applied(addition("The quince is ripe."))
    assert keep_up(home.gate, home.ledger(), home.moment)
    found = ask(home, "quince")
    assert (found.engines, len(found.hits)) == (("tantivy",), 1)
    assert len(makings) == 1


def test_a_home_of_fewer_chunks_has_none(home: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(home, "lilac")
    assert place(home).is_dir()
    monkeypatch.setattr(engines, "LEAST_CHUNKS", 50_000)
    assert ask(home, "lilac").engines == ("fts5",)
    assert not place(home).exists()


def test_settings_may_forbid_it(home: Desk, makings: list[str]) -> None:
    ask(home, "lilac")
    home.set(search_engine=Engine.FTS5)
    assert ask(home, "lilac").engines == ("fts5",)
    assert not place(home).exists()
    home.set(search_engine=Engine.TANTIVY)
    assert ask(home, "lilac").engines == ("tantivy",)
    assert len(makings) == 2


@pytest.mark.parametrize("engine", [Engine.AUTO, Engine.TANTIVY])
def test_where_tantivy_is_not_installed_only_who_asked_for_it_is_told(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    use("by hand", monkeypatch)
    put(desk, "memory/2026-02-26.md", "- The lilac was planted.\n")
    take_away(monkeypatch)
    desk.set(search_engine=engine)
    found = ask(desk, "lilac")
    assert (found.engines, len(found.hits)) == (("fts5",), 1)
    assert any("fast-search" in note for note in found.notes) == (engine is Engine.TANTIVY)


def test_what_changed_without_tantivy_is_noticed(home: Desk, makings: list[str]) -> None:
    ask(home, "lilac")
    with pytest.MonkeyPatch.context() as patch:
        take_away(patch)
        put(home, "memory/2026-02-27.md", "# Boat\n\n- An anchor came.\n")
        assert ask(home, "anchor").engines == ("fts5",)
    found = ask(home, "anchor rudder")
    assert found.engines == ("tantivy",)
    assert [hit.chunk.text.splitlines()[-1] for hit in found.hits] == ["- An anchor came."]
    assert len(makings) == 2


@pytest.mark.parametrize("killed", ["before the search index is committed", "between the two"])
def test_a_run_that_is_killed_leaves_what_is_noticed(
    home: Desk, makings: list[str], monkeypatch: pytest.MonkeyPatch, killed: str
) -> None:
    ask(home, "lilac")
    put(home, "memory/2026-02-27.md", "# Boat\n\n- An anchor came.\n")

    def kill(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        owner, name = (QuickWriter, "commit") if killed == "between the two" else (QuickWriter, "put")
        patch.setattr(owner, name, kill)
        with pytest.raises(KeyboardInterrupt):
            ask(home, "anchor")
    found = ask(home, "anchor rudder")
    assert found.hits == by_fts5(home, "anchor rudder").hits
    assert len(found.hits) == 1
    assert found.engines == ("tantivy",)
    assert len(makings) == (2 if killed == "between the two" else 1)


def test_one_that_was_not_made_to_its_end_is_not_asked(home: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def kill(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(QuickWriter, "_finish", kill)
        with pytest.raises(KeyboardInterrupt):
            ask(home, "lilac")
    assert place(home).is_dir()
    assert ask(home, "lilac").engines == ("tantivy",)


def test_a_damaged_one_is_made_anew_and_that_is_said(home: Desk) -> None:
    ask(home, "lilac")
    (place(home) / "meta.json").write_text("[")
    found = ask(home, "lilac")
    assert (found.engines, len(found.hits)) == (("tantivy",), 1)
    assert any("made anew" in note for note in found.notes)
    assert ask(home, "lilac").notes == ()


def test_a_damaged_one_hinders_no_change(home: Desk) -> None:
    ask(home, "lilac")
    (place(home) / "meta.json").write_text("[")
    put(home, "memory/2026-02-27.md", "# Boat\n\n- An anchor came.\n")
    assert len(ask(home, "anchor").hits) == 1


def test_one_of_another_home_is_not_asked(home: Desk, tmp_path: Path, makings: list[str]) -> None:
    ask(home, "lilac")
    shutil.copytree(place(home), tmp_path / "kept")
    put(home, "memory/2026-02-27.md", "# Boat\n\n- An anchor came.\n")
    ask(home, "anchor")
    shutil.rmtree(place(home))
    (tmp_path / "kept").rename(place(home))
    assert len(ask(home, "anchor").hits) == 1
    assert len(makings) == 2


def test_where_it_cannot_be_written_fts5_finds(home: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(QuickWriter, "_write", full)
    found = ask(home, "lilac")
    assert (found.engines, len(found.hits)) == (("fts5",), 1)
    assert any("No space left" in note and "FTS5 found" in note for note in found.notes)


def test_what_cannot_be_followed_changes_the_search_index_all_the_same(
    home: Desk, makings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(home, "lilac")
    put(home, "memory/2026-02-27.md", "# Boat\n\n- An anchor came.\n")
    with monkeypatch.context() as patch:
        patch.setattr(QuickWriter, "_forget", lambda *_: 1 / 0)
        assert keep_up(home.gate, home.ledger(), home.moment)
    found = ask(home, "anchor")
    assert (found.engines, len(found.hits)) == (("tantivy",), 1)
    assert len(makings) == 2


def test_a_query_that_it_fails_at_is_answered_and_it_goes(
    home: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(home, "lilac")

    def fail(*_: object, **__: object) -> None:
        raise QuickIndexError("a list has no end")

    with monkeypatch.context() as patch:
        patch.setattr(quick_index.QuickIndex, "find", fail)
        found = ask(home, "lilac")
    assert (found.engines, len(found.hits)) == (("fts5",), 1)
    assert "a list has no end: FTS5 found candidates" in found.notes
    assert not place(home).exists()
    assert ask(home, "lilac").engines == ("tantivy",)


def test_a_new_search_index_begins_without_the_old_one(home: Desk, makings: list[str]) -> None:
    ask(home, "lilac")
    (place(home) / "of the old one").touch()
    refresh(home.gate, home.ledger(), home.moment, anew=True).store.close()
    assert not (place(home) / "of the old one").exists()
    assert len(makings) == 2


def test_a_copy_in_memory_has_none(home: Desk) -> None:
    with closing(refresh(home.gate, home.ledger(), home.moment, may_write=False).store) as store:
        assert store.quick is None
    assert not place(home).exists()


def test_what_it_does_not_know_fts5_is_asked(home: Desk) -> None:
    put(home, "memory/2026-02-25.md", "# Trip\n\n- 京都に行った\n- The boat_house was painted.\n")
    assert ask(home, "boat", tags=("boat_house",)).engines == ("fts5",)
    found = ask(home, "京")
    assert (found.engines, len(found.hits)) == (("fts5",), 1)
    assert ask(home, "京都").engines == ("tantivy",)


def test_kinds_and_days_hold(home: Desk) -> None:
    put(home, "memory/state/session-handoff.md", "# Next\n\n- [ ] Cut the lilac\n")
    for fields in (
        {"scope": frozenset({Kind.HANDOFF})},
        {"scope": frozenset({Kind.ARCHIVE})},
        {"since": home.moment.at.date()},
    ):
        found = ask(home, "lilac", **fields)
        assert found.engines == ("tantivy",)
        assert found.hits == by_fts5(home, "lilac", **fields).hits
    found = ask(home, "lilac planted in February 2026")
    assert found.engines == ("tantivy",)
    assert found.only
    assert len(found.hits) == 1


def test_where_too_few_of_a_kind_are_among_the_first_fts5_is_asked(
    home: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(home, "memory/2026-02-25.md", "# One\n\n- lilac\n\n# Two\n\n- lilac lilac\n")
    put(
        home,
        "memory/state/session-handoff.md",
        "# Next\n\n- [ ] Cut the lilac that we planted once upon a time\n",
    )
    monkeypatch.setattr(candidates, "CANDIDATES", 1)
    monkeypatch.setattr(candidates, "_SPARE", 1)
    found = ask(home, "lilac", scope=frozenset({Kind.HANDOFF}))
    assert found.engines == ("fts5",)
    assert len(found.hits) == 1


def test_a_number_that_stands_for_nothing_is_left_out(home: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ask(home, "lilac").hits
    own = quick_index.QuickIndex.find
    monkeypatch.setattr(quick_index.QuickIndex, "find", lambda *a, **k: [99_999, *own(*a, **k)])
    assert ask(home, "lilac").hits == expected


def test_the_same_steps_give_the_same_history_and_others_another(home: Desk) -> None:
    def history() -> str:
        store = open_store(index_path(home.home))
        assert store
        with closing(store):
            return store.meta("history")

    ask(home, "lilac")
    first = history()
    assert len(first) == 64
    ask(home, "lilac")
    home.record("heartbeat", day="2026-02-27", waiting=0, inputs=[])
    ask(home, "lilac")  # the log grew, and no word changed
    assert history() == first
    put(home, "memory/2026-02-27.md", "- An anchor came.\n")
    ask(home, "lilac")
    assert history() != first


def test_the_prompt_hook_never_loads_it() -> None:
    said = "import sys; import nightledger.surfaces.hook.prompting, nightledger.files.search_reader"
    asked = "print([name for name in sys.modules if 'tantivy' in name or 'quick' in name])"
    told = subprocess.run(
        [sys.executable, "-c", f"{said}; {asked}"], cwd=SCRIPTS, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "[]"
