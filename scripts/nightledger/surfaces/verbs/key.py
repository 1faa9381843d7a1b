"""Who may sign: list, add, rotate, revoke, a recovery key, and a reset when no key is left.

list                who may sign, who could, and what waits
add KEY             let another key sign; KEY is a .pub file, or the line itself in quotes
rotate [KEY]        a new operator's key takes over; without KEY one is made
revoke KEY          a key counts no more (a fingerprint will do); what it approved is asked again
recovery KEY        a key for the drawer: it can change who signs, and nothing else
confirm             sign the signers as they are; it ends a reset that you did not ask for
reset [KEY]         no key is left: approvals are void, and a new key counts after 24 hours
restore             put back trust files and decisions that are not those that the log names,
                    and the key that a reset had replaced, once the reset was ended

Reads   config/nightledger/, audit/, keys in $NIGHTLEDGER_KEYS
Writes  config/nightledger/allowed_signers and revoked_keys, audit/, keys in $NIGHTLEDGER_KEYS
Changes no memory. All but list is for the operator.
"""

import argparse

from nightledger.domain.errors import UsageError
from nightledger.surfaces.context import Context
from nightledger.surfaces.keys import actions
from nightledger.surfaces.keys.actions import show_keys

WHAT = ("list", "add", "rotate", "revoke", "recovery", "confirm", "reset", "restore")
NEEDED = {"add": "a public key", "revoke": "a key or its fingerprint", "recovery": "a public key"}


OPTIONS = {
    "what": {"choices": WHAT, "help": "what to do"},
    "key": {"nargs": "?", "help": "a .pub file or its line; for revoke a fingerprint"},
    "--principal": ("NAME", "what the log calls the signer (add, recovery)"),
    "--reason": {"default": "", "help": "why, for the record"},
    "--recovery-key": ("FILE", "sign with this recovery key instead of the operator's"),
    "--sign-with": ("FILE", "sign with this key, which may sign decisions, instead"),
    "--no-passphrase": "make the new key without a passphrase",
    "--passphrase-forgotten": "reset although this machine has a key that may sign",
    "--all-keys-lost": "reset where the whole $NIGHTLEDGER_KEYS folder is gone: the log goes on under new keys",
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Do what was asked for; each word of ``WHAT`` but ``list`` is a function of ``keys/actions.py``."""
    if options.what in NEEDED and not options.key:
        raise UsageError(f"'key {options.what}' needs {NEEDED[options.what]}", hint="nightledger key --help")
    if options.what == "list":
        return show_keys(context)
    status: int = getattr(actions, options.what)(options, context)
    return status
