from tests.gate.homes import Desk
from tests.gate.lived import live

from nightledger.domain.curation import Network
from nightledger.files.configuration import home_zone
from nightledger.gate.memory.measuring import read_network
from nightledger.jobs.link import link


def network(desk: Desk) -> Network:
    return read_network(desk.home)


def test_the_network_is_that_of_the_links(desk: Desk) -> None:
    live(desk, range(3), context_tags=["relay", "time_zone"])
    live(desk, range(3, 5), context_tags=["mail", "relay"])
    link(desk.home, home_zone(desk.home, desk.gate.settings))
    assert dict(network(desk).degrees) == {"relay": 2, "time_zone": 1, "mail": 1}
    assert network(desk).degree(["the", "time", "zone", "of", "the", "relay"]) == 3
