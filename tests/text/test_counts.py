from tests.rows import each_row

from nightledger.text.counts import count, numbered


@each_row(
    ("told", "expected"),
    [
        (count(0, "change"), "0 changes"),
        (count(1, "change waits", "changes wait"), "1 change waits"),
        (count(1200, "change waits", "changes wait"), "1,200 changes wait"),
        (numbered([3]), "change 3"),
        (numbered([1, 2]), "changes 1, 2"),
    ],
)
def test_one_is_told_as_one(told: str, expected: str) -> None:
    assert told == expected
