from ipaddress import ip_address
from zoneinfo import ZoneInfo

from nightledger.demo.dice import Dice
from nightledger.demo.phrases import load_phrases
from nightledger.demo.world import make_world

WORLDS = [make_world(Dice(seed, "world"), load_phrases().words) for seed in range(40)]


def test_addresses_are_private_and_belong_to_one_machine() -> None:
    for world in WORLDS:
        addresses = [world.device_ip, *(host.ip for host in world.hosts)]
        assert len(set(addresses)) == len(addresses)
        assert all(ip_address(address).is_private for address in addresses)


def test_sites_are_reserved_names() -> None:
    for world in WORLDS:
        assert all(site.endswith(".example") for site in (*world.sites, world.domain))


def test_the_owner_is_nobody_else() -> None:
    assert all(world.owner not in {person.name for person in world.people} for world in WORLDS)


def test_every_zone_exists() -> None:
    for town in load_phrases().words["towns"]:
        assert ZoneInfo(town["zone"]).key == town["zone"]
