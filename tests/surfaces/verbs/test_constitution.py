import pytest
from tests.gate.principled import seed
from tests.surfaces.console import Console

from nightledger.codec.constitution import dump_page
from nightledger.gate.memory.recalling import shipped_principles

PAGE = dump_page(shipped_principles())
KINDER = PAGE.replace("in better health", "kinder and in better health")


@pytest.fixture
def seeded(console: Console) -> Console:
    seed(console.desk)
    return console


def page(console: Console, text: str) -> str:
    path = console.desk.root / "page.md"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_an_amendment_is_shown_signed_and_in_force(seeded: Console) -> None:
    out = seeded.out("constitution", "amend", "--from", page(seeded, KINDER))
    assert "kinder and in better health" in out
    assert "Lines that begin with #" not in out
    assert "Amended and signed: 10 principles are in force." in out
    assert "kinder" in seeded.out("constitution")
    assert seeded.run("verify").status == 0
    assert seeded.out("constitution", "amend", "--from", page(seeded, KINDER)) == "Nothing was changed.\n"
    assert seeded.record("constitution", "amend", "--from", page(seeded, KINDER)) == {"changed": False}
