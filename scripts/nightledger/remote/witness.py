"""The commands of ``witness``: on the witness's machine, and (``trust``, ``ask``) on the one that writes the home.

Over HTTP it is C2SP tlog-witness: ``POST /add-checkpoint`` and ``GET /<origin hash>/checkpoint``, within limits;
what no known log has signed costs at most a few verifications.
"""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path

from nightledger.domain.errors import EXIT_ALARM, ConfigurationError, UsageError
from nightledger.files.durable import read_regular
from nightledger.remote import cosigner
from nightledger.remote.peers import tell
from nightledger.remote.transport import Response, Server, Service
from nightledger.remote.witness_asking import Asked, Round, ask_round
from nightledger.surfaces import screen
from nightledger.surfaces.clock import system_now
from nightledger.surfaces.context import Context
from nightledger.surfaces.trust_change import change_trust
from nightledger.trust import policy as policies
from nightledger.trust.note import VerifierKey, parse_vkey

_CHECKPOINT = re.compile(r"/([0-9a-f]{64})/checkpoint")
_KINDS = {0x04: "ed25519", 0x06: "mldsa44"}


def open_server(address: tuple[str, int], box: cosigner.Cosigner, now: Callable[[], datetime]) -> Server:
    """Bind a server for a witness; the caller runs and closes it.

    Args:
        address: Host and port; port 0 takes a free one.
        box: The witness; logs that are added while it serves are known at the next request. While its list of logs
            cannot be read it answers "not now".
        now: The clock; aware.

    Raises:
        ConfigurationError: The address is taken or is none of this machine's.
    """

    def answer(raw: bytes) -> Response:
        return cosigner.renew(box).answer(raw, now())

    def look(path: str) -> Response | None:
        match = _CHECKPOINT.fullmatch(path)
        head = cosigner.renew(box).checkpoint(match[1]) if match else None
        return None if head is None else Response(status=cosigner.OK, content=head)

    service = Service(
        name="witness",
        path=cosigner.ADD_CHECKPOINT,
        max_bytes=cosigner.MAX_REQUEST_BYTES,
        answer=answer,
        look=look,
    )
    return Server(address, service)


def keygen(options: argparse.Namespace, context: Context) -> int:
    """Make a witness, and print the lines that put it into a policy."""
    if len(options.words) != 1:
        raise UsageError("a witness has one name", hint="nightledger witness keygen witness.example/harbour")
    box = cosigner.create_witness(Path(options.directory), options.words[0])
    lines = policy_lines(box)
    context.emit(
        {"directory": options.directory, "vkeys": [key.dump() for key in box.vkeys], "policy": lines}
    )
    context.print_lines(lines)
    if not context.json:
        context.note(f"The witness {screen.shown(box.vkeys[0].name)} is in {options.directory}.")
        context.note("On the machine that writes the home, put these lines into a file and sign it with")
        context.note("'nightledger witness trust FILE'.")
    return 0


def policy_lines(box: cosigner.Cosigner) -> list[str]:
    """Return the lines of a policy that asks for this witness: for either of its keys, which are one machine's."""
    word = "".join(c if c.isascii() and c.isalnum() else "-" for c in box.vkeys[0].name)
    witnesses = tuple(policies.Witness(name=f"{word}-{_KINDS[key.key_type]}", key=key) for key in box.vkeys)
    group = policies.Group(name=word, threshold=1, members=tuple(witness.name for witness in witnesses))
    policy = policies.Policy(witnesses=witnesses, groups=(group,), quorum=word)
    return policies.dump_policy(policy).decode().splitlines()


def add(options: argparse.Namespace, context: Context) -> int:
    """Let the witness cosign for logs."""
    if not options.words:
        raise UsageError(
            "no log is named",
            hint="nightledger witness add config/nightledger/policy (of the home), or its verifier keys",
        )
    logs = [key for word in options.words for key in _logs_of(word)]
    box = cosigner.add_logs(cosigner.open_witness(Path(options.directory)).directory, logs)
    names = sorted({log.name for log in box.logs})
    lines = [f"It cosigns for {len(names)} log{'' if len(names) == 1 else 's'}:", *(f"  {n}" for n in names)]
    tell(context, {"directory": options.directory, "logs": [log.dump() for log in box.logs]}, lines)
    if not context.json:
        context.note("A 'witness serve' that runs already knows them at its next request.")
    return 0


def _logs_of(word: str) -> tuple[VerifierKey, ...]:
    if "+" in word:
        return (parse_vkey(word),)
    logs = policies.parse_policy(read_regular(word, policies.MAX_POLICY_BYTES), where=word).logs
    if not logs:
        raise UsageError(f"{word} names no log", hint="it needs a line: log <verifier key>")
    return logs


def serve(options: argparse.Namespace, context: Context) -> int:
    """Answer over HTTP until it is told to stop."""
    _require_no_words(options)
    box = cosigner.open_witness(Path(options.directory))
    server = open_server((options.listen, options.port), box, system_now)
    server.serve_until_told(context, screen.shown(box.vkeys[0].name))
    return 0


def _require_no_words(options: argparse.Namespace) -> None:
    if options.words:
        called = f"witness {options.action}"
        raise UsageError(f"'{called}' takes no words", hint=f"nightledger {called} --help")


def trust(options: argparse.Namespace, context: Context) -> int:
    """Sign a policy with the witnesses and the quorum of a file."""
    if len(options.words) != 1:
        raise UsageError(
            "name the file with the policy", hint="'nightledger witness keygen' prints such lines"
        )
    path = options.words[0]
    wanted = policies.parse_policy(read_regular(path, policies.MAX_POLICY_BYTES), where=path)

    def edit(in_force: Mapping[str, bytes]) -> Mapping[str, bytes]:
        return {"policy": merged(in_force["policy"], wanted)}

    decision = change_trust(context, edit)
    names = [witness.name for witness in wanted.witnesses]
    context.emit({"decision": decision.id, "quorum": wanted.quorum, "witnesses": names})
    shown = screen.shown(", ".join(names) or "none")
    context.print(f"Signed ({decision.id}): witnesses {shown}; quorum {screen.shown(wanted.quorum)}.")
    if wanted.asks:
        context.print("Say where they are in operator.yaml (witnesses), then: nightledger witness ask")
    return 0


def merged(in_force: bytes, wanted: policies.Policy) -> bytes:
    """Return the policy that has the logs in force, and the witnesses and the quorum that are wanted."""
    logs = policies.parse_policy(in_force, where="the policy in force").logs
    policy = policies.Policy(
        logs=logs, witnesses=wanted.witnesses, groups=wanted.groups, quorum=wanted.quorum
    )
    content = policies.dump_policy(policy, policies.former_logs(in_force))
    policies.parse_policy(content, where="the new policy")  # this home's log must not be its own witness
    return content


def ask(options: argparse.Namespace, context: Context) -> int:
    """Ask every witness; 1 when the quorum has not cosigned the newest head or one refuses, 4 when one proves another log."""
    _require_no_words(options)
    found = ask_round(context, everybody=True)
    if found is None:
        raise ConfigurationError(
            "no witness is asked here",
            hint="name them under witnesses in operator.yaml in $NIGHTLEDGER_KEYS; if they are named, another run is asking now",
        )
    record = {
        "met": found.met,
        "asked": [_asked_record(one) for one in found.asked],
    }
    tell(context, record, _round_lines(found))
    if found.standing:
        return EXIT_ALARM
    return 0 if found.met and not any(one.refused for one in found.asked) else 1


def _asked_record(one: Asked) -> dict[str, object]:
    record = {name: getattr(one, name) for name in ("name", "size", "problem", "refused")}
    return {**record, "cosigned": bool(one.lines), "contradiction": one.damage and one.damage.value}


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
