import pytest
from tests.surfaces.calling import Caller

from nightledger.domain.errors import UsageError


@pytest.mark.parametrize(
    "words", [("check",), ("check", "email"), ("check", "a", "b", "c"), ("review", "email"),
              ("check", "email", "send", "--confidence", "1.5")]
)  # fmt: skip
def test_other_words_are_refused(caller: Caller, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        caller.run("consent", *words)
