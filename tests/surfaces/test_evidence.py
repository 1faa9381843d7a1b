import hashlib
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.domain.gate_values import change
from tests.homes import make_home

from nightledger.domain.proposal import Evidence, Origin
from nightledger.files.home import Home
from nightledger.surfaces.screen import evidence_lines
from nightledger.text.phrases import NO_PHRASES


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = make_home(tmp_path)
    (tmp_path / "memory" / "a.md").write_bytes(b"one\ntwo \x1b[2J\nthree\n")
    return made


def lines(home: Home, path: str, first: int, last: int, content: bytes) -> list[str]:
    digest = hashlib.sha256(content).hexdigest()
    cited = Evidence(path=path, lines=(first, last), sha256=digest, origin=Origin.WEB)
    return evidence_lines(home, replace(change(1), evidence=(cited,)), expunged=NO_PHRASES)


def test_a_file_that_is_gone_or_leads_out_is_named_and_nothing_of_it_shown(
    home: Home, tmp_path: Path
) -> None:
    assert "is missing" in " ".join(" ".join(lines(home, "memory/b\x1b.md", 1, 1, b"")).split())
    assert not any("\x1b" in row for row in lines(home, "memory/b\x1b.md", 1, 1, b""))
    (tmp_path / "memory" / "out.md").symlink_to("/etc/hosts")
    assert "localhost" not in " ".join(lines(home, "memory/out.md", 1, 9, b""))
    assert "is not a path inside the home" in " ".join(lines(home, "../x", 1, 1, b""))


def test_what_another_line_of_the_file_or_the_caller_tells_is_masked(home: Home, tmp_path: Path) -> None:
    told, other = "Nebelhorn" + "4711", "Kupfer" + "30417x"
    (tmp_path / "memory" / "b.md").write_text(f"password: {told}\nthen {told} and {other}\n")
    cited = Evidence(path="memory/b.md", lines=(2, 2), sha256="0" * 64, origin=Origin.AGENT)
    one = replace(change(1), evidence=(cited,))
    assert evidence_lines(home, one, expunged=NO_PHRASES)[1:] == [f"    then [masked: 13 bytes] and {other}"]
    assert evidence_lines(home, one, expunged=NO_PHRASES, told=frozenset({other}))[1:] == [
        "    then [masked: 13 bytes] and [masked: 12 bytes]"
    ]
