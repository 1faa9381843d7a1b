import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.surfaces.hook.indexed import make_indexed

from nightledger.demo import session
from nightledger.demo.narrator import Narrator
from nightledger.demo.session import HookError
from nightledger.demo.shell import Shell
from nightledger.domain.staging.page import dump_page
from nightledger.files.staged import StagedLine, write_staged

NOW = datetime(2026, 3, 1, 6, 0, tzinfo=UTC)
SENTENCE = "The greenhouse sensor reports in Fahrenheit; convert before comparing thresholds."


def test_the_hooks_are_called_as_a_host_calls_them_and_what_they_say_is_told(tmp_path: Path) -> None:
    home = make_indexed(tmp_path / "home", simulated=True)
    page = dump_page(["Call (from x; the handoff leaves 1 open)"], "2026-03-02T00:00:00Z")
    write_staged(home, page, [StagedLine((), "")])
    shell, out = Shell(home=tmp_path / "home", keys=tmp_path / "keys"), io.StringIO()
    session.tell(shell, Narrator(out), SENTENCE, NOW)
    told = " ".join(out.getvalue().split())
    assert "in a session that began before: what do we know about this: The greenhouse sensor" in told
    assert "PreToolUse, Write MEMORY.md: deny" in told
    assert "exposures.jsonl: 2 lines" in told
    assert "2026-03-01T06:00:00Z" in Path(home.exposures).read_text()
    assert any("Fahrenheit" in heard for heard in shell.heard)


def test_a_hook_that_says_nothing_ends_the_walk(tmp_path: Path) -> None:
    make_indexed(tmp_path / "home", simulated=True)
    shell = Shell(home=tmp_path / "home", keys=tmp_path / "keys")
    with pytest.raises(HookError, match="SessionStart answered something else"):
        session.tell(shell, Narrator(io.StringIO()), SENTENCE, NOW)
