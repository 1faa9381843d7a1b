"""A home on one machine and a witness on another: two directories that share nothing but what is said."""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from tests.gate.homes import START, Desk, open_desk
from tests.gate.witnessed import TRUE, make_witnessed_desk
from tests.served_witness import served_witness

from nightledger.remote.cosigner import Cosigner, add_logs, create_witness, open_witness, policy_lines
from nightledger.surfaces.context import Context
from nightledger.trust.note import parse_vkey
from nightledger.trust.pin import read_pin
from nightledger.trust.policy import parse_policy

NAME = "witness.example/harbour"


@dataclass
class Machines:
    """A home, its witness, and what the witness's clock says."""

    desk: Desk
    box: Cosigner
    at: datetime = TRUE

    @property
    def root(self) -> Path:
        return self.desk.root

    @property
    def context(self) -> Context:
        """What a command on the home's machine sees; ``NIGHTLEDGER_KEYS`` must be set."""
        return Context(
            verb="witness", home=self.desk.home.root, now_text=self.desk.moment.at.isoformat(), json=False
        )

    def later(self, **by: float) -> None:
        """Let time pass on both machines."""
        self.at += timedelta(**by)
        self.desk.wait(**by)

    def address(self, where: str) -> None:
        """Write ``operator.yaml``: the witness is reached there."""
        (self.desk.ring.directory / "operator.yaml").write_text(
            json.dumps({"witnesses": {NAME: {"url": where}}})
        )

    @contextlib.contextmanager
    def serving(self) -> Iterator[str]:
        """Serve the witness on a free port of this machine; its address is written down."""
        with served_witness(self.box.directory, lambda: self.at) as url:
            self.address(url)
            yield url


def make_machines(root: Path) -> None:
    """Make both under ``root``; the home's policy asks for the witness."""
    box = create_witness(root / "witness", NAME)
    policy = parse_policy("\n".join(policy_lines(box)).encode(), where="policy")
    desk = make_witnessed_desk(root, policy)
    pin = read_pin(desk.ring, desk.home.identity.id)
    add_logs(root / "witness", list(map(parse_vkey, pin.vkeys)))
    assert desk.moment == START


def open_machines(root: Path) -> Machines:
    """Open both, or copies of them."""
    return Machines(desk=open_desk(root), box=open_witness(root / "witness"))
