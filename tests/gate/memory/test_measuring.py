from pathlib import Path

from tests.gate.homes import Desk, addition, removal
from tests.gate.lived import live

from nightledger.domain.measures import Network
from nightledger.domain.reinforcement import ReinforcementKind
from nightledger.files.configuration import home_zone
from nightledger.gate.memory.measuring import Reinforced, read_network, read_reinforced, stated_confidence
from nightledger.gate.memory.reinforcing import reinforce
from nightledger.gate.stored import read_stored
from nightledger.jobs.link import link


def network(desk: Desk) -> Network:
    return read_network(desk.home)


def test_without_links_nothing_is_connected(desk: Desk) -> None:
    assert network(desk).degree(["relay"]) == 0


def test_the_network_is_that_of_the_links(desk: Desk) -> None:
    live(desk, range(3), context_tags=["relay", "time_zone"])
    live(desk, range(3, 5), context_tags=["mail", "relay"])
    link(desk.home, home_zone(desk.home, desk.gate.settings))
    assert dict(network(desk).degrees) == {"relay": 2, "time_zone": 1, "mail": 1}
    assert network(desk).degree(["the", "time", "zone", "of", "the", "relay"]) == 3


def test_a_damaged_index_connects_nothing(desk: Desk) -> None:
    live(desk, range(3))
    link(desk.home, home_zone(desk.home, desk.gate.settings))
    Path(desk.home.link_index_dir, "links.db").write_bytes(b"nonsense\n")
    assert dict(network(desk).degrees) == {}


def test_reinforcements_are_counted_under_the_id_that_an_entry_keeps(desk: Desk) -> None:
    reinforce(desk.home, ReinforcementKind.CURATE, "40", 40, ["e-old", "constitution#care"])
    reinforce(desk.home, ReinforcementKind.CURATE, "80", 80, ["e-new", "constitution#care"])
    reinforce(desk.home, ReinforcementKind.MERCY, "now", 85, ["e-new"])
    book = desk.ledger().book
    found = read_reinforced(desk.home, book)
    assert found["constitution#care"] == Reinforced(times=2, hour=80)
    assert found["e-new"] == Reinforced(times=2, hour=85)


def test_what_was_applied_is_as_sure_as_it_said_and_nothing_else_says_anything(desk: Desk) -> None:
    desk.applied(addition("Set the zone."))
    desk.applied(removal("- Keep backups for 30 days."))
    desk.proposal(addition("Water the fern."))
    ledger = desk.ledger()
    assert stated_confidence(ledger.book, read_stored(desk.gate, ledger.book)) == {"set the zone": 0.5}
