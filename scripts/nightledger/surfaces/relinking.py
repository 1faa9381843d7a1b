"""Fold the links anew at once when one was deleted or came back: nobody is shown it until the night."""

from nightledger.files.configuration import home_zone, load_settings
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.forgetting.tombstones import tombstones
from nightledger.jobs.link import Options, link
from nightledger.surfaces.session import Session


def relink(session: Session) -> None:
    """Fold all links of the home anew, without those that are deleted now."""
    home = session.gate.home
    ledger = session.reread()
    how = Options(
        forgotten=tombstones(session.gate, ledger),
        expunged=read_forgotten(session.gate, (), ledger.book).expunged,
    )
    link(home, home_zone(home, load_settings(home)), how)
