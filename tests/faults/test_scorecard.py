"""The scorecard: what it prints is what happened, and a miss fails it."""

from collections.abc import Sequence

import pytest
from bench.scorecard import Score, lines_of, run

from bench import scorecard

FIVE = ("tamper", "truncate", "delete from the middle", "reorder", "forge")


def test_the_five_common_attacks_and_the_rest_are_all_found_and_rightly_named() -> None:
    scores, alarms = run(every=101)
    assert [one.name for one in scores][:5] == list(FIVE)
    assert len(scores) == 11
    assert alarms == 0
    assert all(one.tried == one.found == one.named > 0 for one in scores), scores
    name, tried, found, named, as_what = list(lines_of(scores, alarms))[1].split()
    assert (name, found, named, as_what) == ("tamper", tried, tried, "EDITED")
    assert int(tried) > 50


@pytest.mark.parametrize(
    ("scores", "alarms", "status", "said"),
    [
        ([Score(name="forge", tried=3, found=3, named=3, classes="EDITED")], 0, 0, "EDITED\n"),
        ([Score(name="forge", tried=3, found=2, named=2, classes="EDITED")], 0, 1, "EDITED   MISSED\n"),
        ([Score(name="forge", tried=3, found=3, named=2, classes="EDITED")], 0, 1, "EDITED   MISNAMED\n"),
        ([Score(name="forge", tried=3, found=3, named=3, classes="EDITED")], 1, 1, "nobody touched: 1\n"),
    ],
)
def test_a_miss_a_wrong_name_or_a_false_alarm_fails_it(
    scores: Sequence[Score],
    alarms: int,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(scorecard, "run", lambda: (tuple(scores), alarms))
    assert scorecard.main() == status
    assert said in capsys.readouterr().out
