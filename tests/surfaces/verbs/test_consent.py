import pytest
from tests.gate.principled import seed
from tests.surfaces.calling import Caller

from nightledger.codec.constitution import dump_page
from nightledger.domain.errors import UsageError
from nightledger.gate.memory.recalling import shipped_principles


@pytest.mark.parametrize(
    "words", [("check",), ("check", "email"), ("check", "a", "b", "c"), ("review", "email"),
              ("check", "email", "send", "--confidence", "1.5")]
)  # fmt: skip
def test_other_words_are_refused(caller: Caller, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        caller.run("consent", *words)


def test_an_amendment_that_changes_nothing_signs_nothing(caller: Caller) -> None:
    seed(caller.desk)
    page, signed = caller.root / "page.md", caller.desk.events()
    page.write_text(dump_page(shipped_principles()))
    assert caller.record("consent", "constitution", "amend", "--from", str(page)) == {"changed": False}
    assert caller.desk.events() == signed
