"""Print the lines that make this machine call us: for cron, systemd or launchd.

Reads   nothing but whether the home, the interpreter and the scripts are there
Writes  nothing: it prints
Changes no memory.
"""

import argparse
import os

from nightledger.domain.errors import ConfigurationError
from nightledger.files.home import Home
from nightledger.surfaces import unattended
from nightledger.surfaces.context import Context
from nightledger.surfaces.doctor.schedule import place_of
from nightledger.surfaces.unattended import CALLS, Place

CALLERS = ("cron", "systemd", "launchd")


OPTIONS = {
    "--print": {"choices": CALLERS, "default": "cron", "dest": "caller", "help": "for whom (default: cron)"},
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Print what to add, for this checkout and this home."""
    texts = {
        "cron": unattended.cron_text,
        "systemd": unattended.systemd_script,
        "launchd": unattended.launchd_script,
    }
    text = texts[options.caller](_place(context))
    context.emit({"for": options.caller, "text": text})
    if context.guided:  # between two questions of 'start': the lines alone
        jobs = [line for line in text.split("\n") if line and not line.startswith("#")]
        context.print_lines(["Add these to yours with: crontab -e", *jobs])
    else:
        context.print(text.removesuffix("\n"))
    return 0


def _place(context: Context) -> Place:
    """Give what is to be called, once it is sure to be there.

    Raises:
        ConfigurationError: No home, no interpreter, or an incomplete checkout.
    """
    Home(context.home_path).require()
    place = place_of(context)
    if not os.path.exists(place.python):
        raise ConfigurationError(f"{place.python} is missing", hint=f"make -C '{place.checkout}' setup")
    for call in CALLS:
        script = place.words(call)[1]
        if not os.path.exists(script):
            raise ConfigurationError(f"{script} is missing", hint="the checkout is incomplete; git status")
    return place
