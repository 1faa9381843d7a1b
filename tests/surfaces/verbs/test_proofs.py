from tests.gate.homes import addition
from tests.surfaces.console import Console

from nightledger.gate.opening import sign_head


def test_an_entry_is_named_by_the_beginning_of_an_id(console: Console) -> None:
    console.desk.applied(addition("Check the fuse first."))
    sign_head(console.desk.gate, console.desk.moment)
    book = console.desk.ledger().book
    for name in (*book.decisions, *book.proposals):
        assert console.out("verify", "--prove", name[:6]) == console.out("verify", "--prove", name)
    assert "fits 3 ids" in console.refused("verify", "--prove", "", status=2)
