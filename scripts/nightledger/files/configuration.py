"""Read configuration from where it lies: the checkout, a home, the keys directory.

Invariant: nothing that names a program is ever read from a home. Whoever can write a home's settings can
switch off neither guard nor apply by breaking them: what cannot be used counts as no file.
"""

import os
import stat
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from msgspec import Struct

from nightledger.codec.settings import find_zone, parse_operator, parse_settings
from nightledger.domain.errors import ConfigurationError, NightledgerError
from nightledger.domain.settings import Operator, Settings
from nightledger.files.durable import read_optional, read_regular
from nightledger.files.home import Home, shipped_config

if TYPE_CHECKING:
    from nightledger.domain.staging import StagingRules

OPERATOR = "operator.yaml"
"""In the keys directory: what the operator lets us run and connect to."""
MAX_BYTES = 1 << 16
MAX_RULE_FILE_BYTES = 1 << 20
"""Ten times gitleaks' own rule file."""


def load_settings(home: Home) -> Settings:
    """Give the settings in force in a home: the defaults with its own over them.

    Raises:
        ConfigurationError: Settings that are not valid, every problem named.
        UnreadableError: A settings file that is no regular file, or a huge one.
    """
    own = read_optional(home.settings, MAX_BYTES, within=home.root)
    return parse_settings(own, where=home.settings)


def load_staging_rules(home: Home) -> "StagingRules":
    """Give the staging rules in force in a home: the shipped ones with its own over them.

    Raises:
        ConfigurationError: Rules that are not valid, every problem named.
        UnreadableError: A file of rules that is no regular file, or a huge one.
    """
    from nightledger.codec.settings import parse_staging_rules  # of one verb only

    own = read_optional(home.staging_rules, MAX_BYTES, within=home.root)
    return parse_staging_rules(shipped_config("staging-rules.json"), own, where=home.staging_rules)


class InForce(Struct, frozen=True, kw_only=True):
    """What counts, and why it is not the home's own file.

    Attributes:
        settings: The shipped ones with the home's own over them; the shipped ones alone where its file cannot be used.
        problem: Every problem of the home's own file, with its line; empty where it can be used.
    """

    settings: Settings
    problem: str = ""


def settings_of(home: Home) -> InForce:
    """Read the settings in force; nothing in the home's own file ends this."""
    try:
        return InForce(settings=load_settings(home))
    except NightledgerError as error:
        return InForce(settings=parse_settings(None, where=""), problem=str(error))


def home_zone(home: Home, settings: Settings) -> ZoneInfo:
    """Give the zone in which the home's log days begin and end.

    Raises:
        ConfigurationError: When this machine does not know the zone recorded at ``init``.
    """
    return find_zone(settings.zone or home.identity.zone, where=home.identity_file)


def load_operator(keys_dir: str) -> Operator:
    """Give what the operator lets us run; nothing where there is no ``operator.yaml``.

    Args:
        keys_dir: ``$NIGHTLEDGER_KEYS``, outside every home.

    Raises:
        ConfigurationError: A file that others may write, or that is not valid.
        UnreadableError: No regular file, or a huge one.
    """
    path = os.path.join(keys_dir, OPERATOR)
    raw = read_optional(path, MAX_BYTES)
    if raw is None:
        return Operator()
    _require_own(path, "names programs to run")
    return parse_operator(raw, where=path)


def why_no_operator(keys_dir: str) -> str:
    """Say in one line why ``operator.yaml`` cannot be used; empty where it can, or there is none."""
    try:
        load_operator(keys_dir)
    except NightledgerError as error:
        return str(error).split("\n", 1)[0]
    return ""


def read_rule_files(operator: Operator, home: Home) -> dict[str, bytes]:
    """Give the rule files that the operator names, by path.

    Raises:
        ConfigurationError: One lies in the home, where an agent may write, or others may write it.
        UnreadableError: There is none, no regular file, or a huge one.
    """
    found = {}
    for path in operator.rule_files:
        if os.path.realpath(path).startswith(os.path.join(os.path.realpath(home.root), "")):
            raise ConfigurationError(f"{path}: a rule file may not lie in the home", hint="move it elsewhere")
        found[path] = read_regular(path, MAX_RULE_FILE_BYTES)
        _require_own(path, "says what a secret is")
    return found


def _require_own(path: str, why: str) -> None:
    status = os.stat(path)
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) or status.st_uid not in (0, os.geteuid()):
        raise ConfigurationError(
            f"{path} {why}, and others may write it", hint=f"chown it to this user, and: chmod 600 '{path}'"
        )
