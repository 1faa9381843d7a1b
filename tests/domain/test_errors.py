from tests.rows import each_row

from nightledger.domain import errors


@each_row(
    ("kind", "status"),
    [
        (errors.NightledgerError, 1),
        (errors.UsageError, 2),
        (errors.ConfigurationError, 2),
        (errors.RefusedError, 1),
        (errors.IntegrityError, 4),
        (errors.LockedError, 75),
        (errors.UnreadableError, 1),
        (errors.FileChangedError, 1),
        (errors.NotDurableError, 1),
        (errors.MissingBlobError, 1),
        (errors.MissingFileError, 1),
        (errors.LinkIndexError, 1),
    ],
)
def test_every_failure_carries_its_exit_status_and_a_hint_of_its_own(
    kind: type[errors.NightledgerError], status: int
) -> None:
    error = kind("what and where", hint="the next step")
    assert (str(error), error.hint, error.exit_status) == ("what and where", "the next step", status)
    assert kind("x").hint == kind.hint


def test_the_exit_statuses_are_a_contract() -> None:
    found = (errors.EXIT_REFUSED, errors.EXIT_USAGE, errors.EXIT_WAITING, errors.EXIT_ALARM)
    assert found == (1, 2, 3, 4)
    assert (errors.EXIT_BUG, errors.EXIT_LOCKED) == (70, 75)
