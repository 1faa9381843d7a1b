import os
from pathlib import Path

import pytest
from tests.rows import each_row

from nightledger.domain.drift import Writer
from nightledger.hosts.writers import WITHIN_S, find_mark, hosts_at_work

AT = 1_700_000_000.0
FILES = {
    "openclaw": "agents/main/sessions/ab12.jsonl",
    "claude_code": "projects/-home-ann-garden/ab12.jsonl",
    "codex": "sessions/2026/03/01/rollout-1-ab12.jsonl",
    "hermes": "state.db",
}


def written(root: Path, name: str, at: float) -> dict[str, str]:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")
    os.utime(path, (at, at))
    return dict.fromkeys(FILES, str(root))


@pytest.mark.parametrize(("host", "name"), FILES.items())
def test_a_session_file_written_about_then_says_that_the_host_was_at_work(
    host: str, name: str, tmp_path: Path
) -> None:
    roots = {host: written(tmp_path, name, AT)[host]}
    assert hosts_at_work(roots, AT + WITHIN_S) == (host,)
    assert hosts_at_work(roots, AT - WITHIN_S) == (host,)
    assert hosts_at_work(roots, AT + WITHIN_S + 1) == ()


@each_row(
    ("lines", "writer"),
    [
        *(
            (["- before", line], Writer.DREAMING)
            for line in (
                "## Promoted From Short-Term Memory (2026-03-01)",
                "<!-- openclaw-memory-promotion:memory:memory/2026-03-01.md:4:6 -->",
                "- The relay restarts at noon. [score=0.912 recalls=7 avg=0.8 source=memory/2026-03-01.md:4-6]",
                "<!-- openclaw:dreaming:light:start -->",
                "## Light Sleep",
                "### REM Sleep  ",
            )
        ),
        (["## Nightly memory extraction"], Writer.EXTRACTION),
        (["### Durable facts extracted"], Writer.EXTRACTION),
        (["<!-- keeper:memory:start -->"], Writer.EXTRACTION),
        (["## Nightly memory extraction", "## REM Sleep"], Writer.DREAMING),
        (
            [
                "- I slept little",
                "Deep sleep is important for the owner.",
                "- score=5 in darts",
                "<!-- a note -->",
            ],
            None,
        ),
        ([], None),
    ],
)
def test_a_tool_is_known_by_its_own_marks_and_a_person_by_none(
    lines: list[str], writer: Writer | None
) -> None:
    assert find_mark(lines) is writer
