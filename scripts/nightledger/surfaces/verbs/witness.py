"""Cosign the logs of other machines, or have this home's log cosigned.

The protocol is C2SP tlog-witness.

On the machine that is the witness; it needs no home:
  keygen NAME     make a witness; prints the lines for a home's policy
  add WORD ...    cosign for a log: its verifier keys, or a home's policy file
  serve           answer over HTTP until it is told to stop

On the machine that writes the home:
  trust FILE      sign a policy: the witnesses and the quorum of FILE, with this
                  home's log
  ask             ask every witness now; nights and applies do so by themselves

Reads   the witness's directory, or audit/ and operator.yaml in
        $NIGHTLEDGER_KEYS
Writes  the witness's directory; audit/checkpoint, audit/cosigned,
        audit/checkpoints/
Changes no memory. trust is for the operator.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from msgspec.structs import replace

from nightledger.domain.errors import EXIT_ALARM, ConfigurationError, UsageError
from nightledger.domain.words import count_of
from nightledger.files.durable import read_regular
from nightledger.remote.cosigner import add_logs, create_witness, open_server, open_witness, policy_lines
from nightledger.remote.witness_asking import Round, ask_round
from nightledger.surfaces import screen
from nightledger.surfaces.clock import system_now
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say
from nightledger.surfaces.trust_change import change_trust
from nightledger.trust import note as notes
from nightledger.trust import policy as policies
from nightledger.trust.policy import MAX_POLICY_BYTES, dump_policy, parse_policy


def run(options: argparse.Namespace, context: Context) -> int:
    """Do what was asked for; 4 when a witness remembers a log that this one does not continue."""
    options.directory = os.path.abspath(options.dir or os.path.join(context.keys_dir, "witness"))
    return _ACTIONS[options.action](options, context)


def _keygen(options: argparse.Namespace, context: Context) -> int:
    """Make a witness, and print the lines that put it into a policy."""
    if len(options.words) != 1:
        raise UsageError("a witness has one name", hint="nightledger witness keygen witness.example/harbour")
    box = create_witness(Path(options.directory), options.words[0])
    lines = policy_lines(box)
    vkeys = [key.dump() for key in box.vkeys]
    context.emit({"directory": options.directory, "vkeys": vkeys, "policy": lines})
    context.print_lines(lines)
    if not context.json:
        context.note(f"The witness {screen.shown(box.vkeys[0].name)} is in {options.directory}.")
        context.note("On the machine that writes the home, put these lines into a file and sign it with")
        context.note("'nightledger witness trust FILE'.")
    return 0


def _add(options: argparse.Namespace, context: Context) -> int:
    """Let the witness cosign for logs."""
    if not options.words:
        raise UsageError(
            "no log is named",
            hint="nightledger witness add config/nightledger/policy (of the home), or its verifier keys",
        )
    logs = [key for word in options.words for key in _logs_of(word)]
    box = add_logs(open_witness(Path(options.directory)).directory, logs)
    names = sorted({log.name for log in box.logs})
    context.emit({"directory": options.directory, "logs": [log.dump() for log in box.logs]})
    say(context, f"It cosigns for {count_of(len(names), 'log')}:")
    say(context, *names, first="  ", indent="    ")
    return 0


def _logs_of(word: str) -> tuple[notes.VerifierKey, ...]:
    if "+" in word and not os.path.lexists(word):
        return (notes.parse_vkey(word),)
    logs = parse_policy(read_regular(word, MAX_POLICY_BYTES), where=word).logs
    if not logs:
        raise UsageError(f"{word} names no log", hint="it needs a line: log <verifier key>")
    return logs


def _serve(options: argparse.Namespace, context: Context) -> int:
    """Answer over HTTP until it is told to stop."""
    _require_no_words(options)
    box = open_witness(Path(options.directory))
    server = open_server((options.listen, options.port), box.directory, system_now)
    server.serve_until_told(context, screen.shown(box.vkeys[0].name))
    return 0


def _require_no_words(options: argparse.Namespace) -> None:
    if options.words:
        called = f"witness {options.action}"
        raise UsageError(f"'{called}' takes no words", hint=f"nightledger {called} --help")


def _trust(options: argparse.Namespace, context: Context) -> int:
    """Sign a policy with the witnesses and the quorum of a file."""
    if len(options.words) != 1:
        raise UsageError(
            "name the file with the policy", hint="'nightledger witness keygen' prints such lines"
        )
    path = options.words[0]
    wanted = parse_policy(read_regular(path, MAX_POLICY_BYTES), where=path)

    def edit(in_force: Mapping[str, bytes]) -> Mapping[str, bytes]:
        logs = parse_policy(in_force["policy"], where="the policy in force").logs
        content = dump_policy(replace(wanted, logs=logs), policies.former_logs(in_force["policy"]))
        parse_policy(content, where="the new policy")  # this home's log must not be its own witness
        return {"policy": content}

    decision = change_trust(context, edit)
    names = [witness.name for witness in wanted.witnesses]
    context.emit({"decision": decision.id, "quorum": wanted.quorum, "witnesses": names})
    shown = screen.shown(", ".join(names) or "none")
    context.print(f"Signed ({decision.id}): witnesses {shown}; quorum {screen.shown(wanted.quorum)}.")
    if wanted.asks:
        context.print("Say where they are in operator.yaml (witnesses), then: nightledger witness ask")
    return 0


def _ask(options: argparse.Namespace, context: Context) -> int:
    """Ask every witness; 1 when the quorum has not cosigned the newest head or one refuses, 4 when one proves another log."""
    _require_no_words(options)
    found = ask_round(context, everybody=True)
    if found is None:
        raise ConfigurationError(
            "no witness is asked here",
            hint="name them under witnesses in operator.yaml in $NIGHTLEDGER_KEYS; if they are named, another run is asking now",
        )
    shown = ("name", "size", "problem", "refused")
    asked = [
        {name: getattr(one, name) for name in shown}
        | {"cosigned": bool(one.lines), "contradiction": one.damage}
        for one in found.asked
    ]
    context.emit({"met": found.met, "asked": asked})
    say(context, *_round_lines(found))
    if found.standing:
        return EXIT_ALARM
    return 0 if found.met and not any(one.refused for one in found.asked) else 1


def _round_lines(found: Round) -> Iterable[str]:
    for one in found.asked:
        if one.damage:
            yield f"{one.name}: {one.contradiction}"
        elif one.problem:
            yield f"{one.name}: no line ({one.problem})"
        else:
            yield f"{one.name}: cosigned {one.size} entries"
    if not found.met:
        yield "The policy's quorum has not cosigned the newest head; 'nightledger doctor' names who has no address."


_ACTIONS: Mapping[str, Callable[[argparse.Namespace, Context], int]] = {
    "add": _add,
    "ask": _ask,
    "keygen": _keygen,
    "serve": _serve,
    "trust": _trust,
}
