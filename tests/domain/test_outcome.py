from nightledger.domain import words
from nightledger.domain.outcome import Result, Signal
from nightledger.domain.proposal import Origin


def test_the_words_of_the_fast_path_are_those_of_the_enums() -> None:
    assert tuple(Result) == words.RESULTS
    assert tuple(Signal) == words.SIGNALS
    assert tuple(Origin) == words.ORIGINS
