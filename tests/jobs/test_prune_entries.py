from tests.jobs.nights import Nights
from tests.jobs.pruning import left, remember, tally

from nightledger.domain.proposal import Op
from nightledger.jobs.prune import Tally


def archive(nights: Nights, **asked: bool) -> Tally:
    return tally(nights, Op.ARCHIVE, **asked)


def texts(found: Tally) -> list[str]:
    return [change.before for proposal in found.proposals for change in proposal.changes]


def test_what_cannot_be_told_is_named_and_stays(nights: Nights) -> None:
    remember(
        nights,
        "- The lamp flickers. STATUS: Done\n",
        "- The lamp hums. STATUS: Done 2025-02-30\n",
        "- The lamp glows. STATUS: Done 2031-01-01\n",
        "- STATUS: Closed 2025-01-01\n",
    )
    found = archive(nights)
    assert found.proposed == 0
    assert found.kept == {"no_date": 2, "future_date": 1, "of_section": 1}
    assert all(what.startswith("MEMORY.md:") for what in left(found))


def test_what_would_empty_the_file_is_split_and_flagged(nights: Nights) -> None:
    entries = [f"- Task {n} of the greenhouse is over. STATUS: Done 2025-10-0{n}\n" for n in range(1, 10)]
    remember(nights, *entries)
    found = archive(nights)
    assert found.proposed == 9
    assert len(found.proposals) > 3
    total = len(nights.desk.text())
    for n, proposal in enumerate(found.proposals, 1):
        assert sum(len(change.before) for change in proposal.changes) <= total / 4
        assert proposal.title.endswith(f"closed in 2025-10, part {n} of {len(found.proposals)}")
        assert {flag.rule for change in proposal.changes for flag in change.flags} == {"budget.split"}
