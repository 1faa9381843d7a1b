"""A home has its log cosigned by a witness of another make, which then sees it put back."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.gate.homes import Desk, open_desk
from tests.gate.witnessed import make_witnessed_desk
from tests.interop.litewitness import NAME, Litewitness, running
from tests.surfaces.console import Console

from nightledger.trust.note import ED25519, parse_vkey
from nightledger.trust.pin import read_pin
from nightledger.trust.policy import parse_policy

pytestmark = pytest.mark.interop


def text(out: str) -> str:
    return " ".join(out.split())


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[Litewitness]:
    folder = os.environ.get("LITEWITNESS")
    if not folder:
        pytest.skip("LITEWITNESS is not set: make test-interop LITEWITNESS=dir")
    root = tmp_path / "witness"
    root.mkdir()
    with running(Path(folder).resolve(), root) as witness:
        yield witness


@pytest.fixture
def console(witness: Litewitness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Console:
    """The command line of a home whose policy asks for that witness."""
    policy = f"witness lite {witness.vkey}\nquorum lite\n"
    desk = make_witnessed_desk(tmp_path, parse_policy(policy.encode(), where="policy"))
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    pin = read_pin(desk.ring, desk.home.identity.id)
    (vkey,) = (key for key in pin.vkeys if parse_vkey(key).key_type == ED25519)
    witness.add(pin.origin, vkey)
    operator = desk.ring.directory / "operator.yaml"
    operator.write_text(f'witnesses:\n  {NAME}: {{url: "{witness.url}"}}\n')
    operator.chmod(0o600)
    return Console(desk=desk)


def grow(desk: Desk, entries: int) -> None:
    for day in range(1, entries + 1):
        desk.record("heartbeat", day=f"2026-03-{day:02}")


def test_each_longer_head_is_cosigned_and_its_line_holds(console: Console) -> None:
    for entries in (0, 1, 2, 5, 13):
        grow(console.desk, entries)
        size = console.desk.ledger().log.size
        ran = console.run("witness", "ask")
        assert (ran.status, text(ran.out)) == (0, f"{NAME}: cosigned {size} entries")
        record = console.record("verify")["witnesses"]
        assert (record["size"], record["findings"]) == (size, [])


@pytest.mark.parametrize(("grown", "said"), [(0, "it says that it cosigned"), (9, "bad consistency proof")])
def test_a_log_put_back_is_refused_and_that_is_an_alarm_at_once(
    console: Console, tmp_path: Path, grown: int, said: str
) -> None:
    for name in ("home", "keys"):
        shutil.copytree(tmp_path / name, tmp_path / "old" / name)
    grow(console.desk, 4)
    assert console.run("witness", "ask").status == 0
    for name in ("home", "keys"):
        shutil.rmtree(tmp_path / name)
        shutil.copytree(tmp_path / "old" / name, tmp_path / name)
    back = Console(desk=open_desk(tmp_path))
    for day in range(grown):
        back.desk.record("heartbeat", day=f"2026-04-{day + 1:02}")
    ran = back.run("witness", "ask")
    assert ran.status == 1
    assert said in text(ran.out)
    verify = back.run("verify")
    assert verify.status == 4
    assert "STALE-WITNESS" in verify.out
    assert said in text(back.run("status").out)
