import json
from pathlib import Path

import pytest
from tests.homes import make_home
from tests.linking import BERLIN, lines, outcome

from nightledger.files.home import Home
from nightledger.jobs.link import link
from nightledger.surfaces.cli import main

CHECKOUT = Path(__file__).resolve().parents[3]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = make_home(tmp_path / "home")
    Path(made.outcomes).write_bytes(
        lines(
            [
                *(outcome(n, session=f"s{n}") for n in range(3)),
                outcome(3, resolution="wait", outcome="partial", session="s3"),
                outcome(4, resolution="restart_gateway", outcome="failure", session="s4"),
                *(outcome(n, ["cron", "disk"], resolution="clean_up", session=f"s{n}") for n in range(5, 10)),
            ]
        )
    )
    link(made, BERLIN)
    return made


def recall(home: Home, *words: str) -> int:
    return main(["recall", "--home", home.root, *words])


def test_it_shows_what_worked_how_often_and_what_did_not(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recall(home, "--tags", "Cron, Time-Zone") == 0
    assert capsys.readouterr().out == (
        "0.85  cron + time_zone: set_zone (3 worked; sessions 5, last 2026-02-28)\n"
        "      not restart_gateway: 1 failed\n"
    )


def test_one_tag_shows_its_links_and_how_many_more_there_are(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recall(home, "--tags", "cron", "-n", "1") == 0
    assert capsys.readouterr().out == (
        "0.98  cron + disk: clean_up (5 worked; sessions 5, last 2026-02-28)\n1 more; -n 2 shows them\n"
    )


def test_as_json_a_link_is_its_record_with_what_holds_now(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recall(home, "--tags", "cron,time_zone", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["more"] == 0
    (record,) = found["links"]
    extra = {key: record.pop(key) for key in ("link", "confidence_now", "idle_days")}
    assert extra == {"link": "cron + time_zone", "confidence_now": 0.85, "idle_days": 0}
    assert record == json.loads(Path(home.links).read_bytes())["cron + time_zone"]


def test_where_nothing_is_sure_enough_it_is_quiet(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert recall(home, "--tags", "zfs") == 0
    assert capsys.readouterr() == ("", "")


def test_before_the_first_run_it_names_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recall(make_home(tmp_path / "new"), "--tags", "cron") == 0
    assert "'nightledger link' makes them" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tags", ","], "--tags: is empty"),
        (["--tags", "x" * 100], "longer than 64 characters"),
        (["--tags", "cron", "-n", "0"], "-n 0 shows nothing"),
    ],
)
def test_a_wrong_call_says_what_to_write(
    home: Home, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert recall(home, *words) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "hint: " in said


def test_a_damaged_index_names_the_way_out(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    Path(home.link_index_dir, "links.db").write_bytes(b"x")
    assert recall(home, "--tags", "cron") == 1
    assert "hint: make it again: nightledger link --rebuild" in capsys.readouterr().err


def test_a_name_that_somebody_put_into_the_index_cannot_steer_a_terminal(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(home.link_index_dir, "links.db")
    path.write_bytes(path.read_bytes().replace(b"clean_up", b"\\u001b[2"))
    assert recall(home, "--tags", "cron,disk") == 0
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [("--since", "2026-01-01"), ("--until", "nonsense"), ("--any-time",), ("--scope", "daily")]
)
@pytest.mark.parametrize("what", [("--tags", "cron"), ("--frame", "SELF")])
def test_what_narrows_a_query_is_refused_without_one(
    home: Home, capsys: pytest.CaptureFixture[str], what: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert recall(home, *what, *words) == 2
    assert f"{words[0]} is for a query" in capsys.readouterr().err
