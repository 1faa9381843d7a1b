"""Check the audit log, its signatures, the trust files and the gated files.

Reads   audit/, config/nightledger/, the gated files, the pin in $NIGHTLEDGER_KEYS
Changes no memory, and writes nothing at all.
"""

import argparse
import hashlib
from typing import TYPE_CHECKING

from nightledger.surfaces.context import Context

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nightledger.files.home import Home


def configure(parser: argparse.ArgumentParser) -> None:
    """``verify`` has no options of its own."""
    del parser


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the first bad place and its class, or that all holds."""
    del options
    from pathlib import Path

    from nightledger.domain.errors import EXIT_ALARM
    from nightledger.domain.states import fold_events
    from nightledger.files.home import Home
    from nightledger.trust.keys import KeyRing
    from nightledger.trust.pin import read_pin
    from nightledger.trust.reading import check_log

    home = Home(context.home_path).require()
    log = check_log(home, read_pin(KeyRing(Path(context.keys_dir)), home.identity.id))
    report = log.report
    drift = [] if not report.ok else _drift(home, fold_events(log.events).gated)
    context.emit(
        {
            "ok": report.ok and not drift,
            "size": report.size,
            "root": report.root.hex(),
            "simulated": home.identity.simulated,
            "findings": [
                {
                    "class": f.damage.value,
                    "line": f.line,
                    "path": f.path,
                    "message": f.message,
                    "alarm": f.alarm,
                }
                for f in report.findings
            ],
            "drift": drift,
            "unchecked": list(report.unchecked),
        }
    )
    for finding in report.findings:
        where = f"{finding.path}:{finding.line}" if finding.line else finding.path
        context.print(f"{finding.damage.value.upper()} {where}: {finding.message}")
    for path in drift:
        context.print(
            f"DRIFT {path}: its bytes are not those last signed; 'nightledger history' says what was"
        )
    if report.ok and not drift:
        simulated = " (a simulated home: its clock is whatever --now says)" if home.identity.simulated else ""
        context.print(f"The log holds: {report.size} events, root {report.root.hex()[:16]}…{simulated}")
        context.print("Its signatures, the trust files and the gated files are as they were signed.")
    for missing in report.unchecked:
        context.print(f"not checked: {missing}")
    return 0 if report.ok and not drift else EXIT_ALARM


def _drift(home: "Home", accepted: "Mapping[str, str]") -> list[str]:
    """Name the gated files whose bytes are not those last accepted."""
    from nightledger.gate.gated import read_gated

    return [
        path
        for path in home.identity.gated
        if hashlib.sha256(read_gated(home, path)).hexdigest() != accepted.get(path)
    ]
