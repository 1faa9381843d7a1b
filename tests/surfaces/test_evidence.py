import hashlib
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.domain.gate_values import change
from tests.homes import make_home

from nightledger.domain.proposal import Evidence, Origin
from nightledger.files.home import Home
from nightledger.surfaces import evidence
from nightledger.text.changes.veil import HOLE


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = make_home(tmp_path)
    (tmp_path / "memory" / "a.md").write_bytes(b"one\ntwo \x1b[2J\nthree\n")
    return made


def lines(home: Home, path: str, first: int, last: int, content: bytes) -> list[str]:
    digest = hashlib.sha256(content).hexdigest()
    cited = Evidence(path=path, lines=(first, last), sha256=digest, origin=Origin.WEB)
    return evidence.lines(home, replace(change(1), evidence=(cited,)))


def test_lines_that_are_as_they_were(home: Home) -> None:
    assert lines(home, "memory/a.md", 2, 3, b"two \x1b[2J\nthree") == [
        "  in: memory/a.md:2-3 (web)",
        "    two \\u{1b}[2J",
        "    three",
    ]


def test_lines_that_changed_since_are_shown_as_they_are_now(home: Home) -> None:
    assert lines(home, "memory/a.md", 1, 1, b"uno") == [
        "  in: memory/a.md:1 (web): these lines have changed since",
        "    one",
    ]


def test_a_file_that_is_gone_or_leads_out_is_named_and_nothing_of_it_shown(
    home: Home, tmp_path: Path
) -> None:
    assert "is missing" in " ".join(" ".join(lines(home, "memory/b\x1b.md", 1, 1, b"")).split())
    assert not any("\x1b" in row for row in lines(home, "memory/b\x1b.md", 1, 1, b""))
    (tmp_path / "memory" / "out.md").symlink_to("/etc/hosts")
    assert "localhost" not in " ".join(lines(home, "memory/out.md", 1, 9, b""))
    assert "is not a path inside the home" in " ".join(lines(home, "../x", 1, 1, b""))


def test_a_change_without_evidence_has_none(home: Home) -> None:
    assert evidence.lines(home, change(1)) == []


def test_what_another_line_of_the_file_or_the_caller_tells_is_masked(home: Home, tmp_path: Path) -> None:
    told, other = "Nebelhorn" + "4711", "Kupfer" + "30417x"
    (tmp_path / "memory" / "b.md").write_text(f"password: {told}\nthen {told} and {other}\n")
    cited = Evidence(path="memory/b.md", lines=(2, 2), sha256="0" * 64, origin=Origin.AGENT)
    one = replace(change(1), evidence=(cited,))
    assert evidence.lines(home, one)[1:] == [f"    then [masked: 13 bytes] and {other}"]
    assert evidence.lines(home, one, told=frozenset({other}))[1:] == [
        "    then [masked: 13 bytes] and [masked: 12 bytes]"
    ]


def test_lines_cited_with_their_secret_veiled_are_as_they_were(home: Home, tmp_path: Path) -> None:
    secret = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    (tmp_path / "memory" / "c.md").write_text(f"- token {secret}\n")
    assert lines(home, "memory/c.md", 1, 1, f"- token {HOLE * 40}".encode()) == [
        "  in: memory/c.md:1 (web)",
        "    - token [masked: 40 bytes]",
    ]
