"""The scorecard: what it prints is what happened, and a miss fails it."""

from bench.scorecard import lines_of, run

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
