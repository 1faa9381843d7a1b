"""Is staged context fresh, are its rules valid, and can its calendars be read? No server is asked."""

import os
import stat
from collections.abc import Iterator
from datetime import datetime

from nightledger.domain.operator import CalendarAddress
from nightledger.domain.words import dump_moment
from nightledger.files.configuration import load_operator, load_staging_rules
from nightledger.files.home import Home
from nightledger.files.staged import find_page
from nightledger.files.staging_troubles import read_troubles
from nightledger.surfaces.doctor.checks import Check, bad, good, note
from nightledger.surfaces.staging.telling import LIMIT_SAID, not_given

_FIX = "nightledger stage says what is wrong"


def check_staging(home: Home, keys_dir: str, now: datetime) -> Iterator[Check]:
    """Look at rules, calendars and the page.

    Args:
        home: Whose.
        keys_dir: Where ``operator.yaml`` names the calendars.
        now: Aware, UTC.
    """
    load_staging_rules(home)
    calendars = load_operator(keys_dir).calendars
    for name, address in sorted(calendars.items()):
        yield from _calendar(name, address)
    if not calendars:
        yield note(
            "no calendar is named, so no event is staged", "calendars in operator.yaml, beside the keys"
        )
    for trouble in read_troubles(home):
        yield note(f"{trouble.what}, since {trouble.since}", "nightledger stage says whether it lasts")
    if not os.path.lexists(home.staged_context):
        yield note("nothing was staged yet", "nightledger stage")
        return
    page = find_page(home)
    if page is None:
        yield note("the staged page is not as it was written, and is not given out", "nightledger stage")
    elif dump_moment(now) >= page.good_until:
        yield bad(f"the staged page is over since {page.good_until}: nothing stages", _FIX)
    else:
        yield good(f"{len(page.lines)} line(s) are staged, until {page.good_until}")
        if count := not_given(page):
            yield note(
                f"the last {count} staged line(s) are not given at a session's start: {LIMIT_SAID}",
                "a smaller budget in config/nightledger/staging-rules.json keeps the page whole",
            )


def _calendar(name: str, address: CalendarAddress) -> Iterator[Check]:
    if address.file and not os.path.isfile(address.file):
        yield bad(f"the calendar {name} is no file", "name the .ics file in operator.yaml")
    elif address.password_file and not os.path.isfile(address.password_file):
        yield bad(
            f"the password file of the calendar {name} is missing", "see password_file in operator.yaml"
        )
    elif address.password_file and os.stat(address.password_file).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield bad(
            f"others may read the password of the calendar {name}", f"chmod 600 '{address.password_file}'"
        )
    else:
        yield good(f"the calendar {name} is {'a file' if address.file else 'asked over the network'}")
