"""The commands of ``witness``: on the witness's machine, and (``trust``, ``ask``) on the one that writes the home.

Over HTTP it is C2SP tlog-witness: ``POST /add-checkpoint`` and ``GET /<origin hash>/checkpoint``, within limits.
Invariant: nobody holds a connection longer than its time or makes us read more than one
request; what no known log has signed costs at most a few verifications.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from http import HTTPStatus
from pathlib import Path

from nightledger.domain.errors import (
    EXIT_ALARM,
    EXIT_REFUSED,
    ConfigurationError,
    LockedError,
    MissingFileError,
    NightledgerError,
    UsageError,
)
from nightledger.files.reading import read_regular
from nightledger.remote.server import LimitedHandler, LimitedServer
from nightledger.remote.witness_asking import Round, ask_round
from nightledger.remote.witness_ways import answer_spool
from nightledger.surfaces import screen
from nightledger.surfaces.clock import system_now
from nightledger.surfaces.context import Context
from nightledger.surfaces.keys.trust_change import change_trust
from nightledger.trust.cosigning import Asked
from nightledger.trust.note import VerifierKey, parse_vkey
from nightledger.trust.policy import (
    MAX_POLICY_BYTES,
    Group,
    Policy,
    Witness,
    dump_policy,
    former_logs,
    parse_policy,
)
from nightledger.trust.witness import (
    LOGS,
    MAX_REQUEST_BYTES,
    OK,
    UNAVAILABLE,
    Answer,
    WitnessBox,
    add_logs,
    create_witness,
    open_witness,
    renew,
)

PORT = 18_800
ADD_CHECKPOINT = "/add-checkpoint"
MAX_CONNECTIONS = 64
"""More are closed at once: a flood must not become a flood of threads."""
CONNECTION_S = 15.0
"""How long a client may take for its whole request, however slowly it drips."""
_CHECKPOINT = re.compile(r"/([0-9a-f]{64})/checkpoint")
_KINDS = {0x04: "ed25519", 0x06: "mldsa44"}


class WitnessServer(LimitedServer):
    """Serves one witness; stopped with ``shutdown``."""

    name = "witness"

    def __init__(
        self,
        address: tuple[str, int],
        box: WitnessBox,
        now: Callable[[], datetime],
        *,
        connection_s: float = CONNECTION_S,
    ) -> None:
        """Bind; nothing is answered before ``serve_forever``.

        Args:
            address: Host and port; port 0 takes a free one.
            box: The witness.
            now: The clock; aware.
            connection_s: How long one request may take to arrive.
        """
        self._known = (_state_of(box), box)
        self.now = now
        super().__init__(address, _Handler, connections=MAX_CONNECTIONS, connection_s=connection_s)

    @property
    def box(self) -> WitnessBox:
        """The witness, with the logs that were added since it began to serve.

        A list that cannot be read is told once; it goes on with the logs that it knew.
        """
        state, box = self._known
        found = _state_of(box)
        if found != state:
            try:
                box = renew(box)
            except (NightledgerError, OSError) as error:
                print(f"witness: {error}", file=sys.stderr)
            self._known = (found, box)
        return box


class _Handler(LimitedHandler):
    """One request; the connection is closed after it."""

    server: WitnessServer

    def do_GET(self) -> None:  # noqa: N802 - the name that http.server calls
        match = _CHECKPOINT.fullmatch(self.path)
        head = self.server.box.checkpoint(match[1]) if match else None
        if head is None:
            self.say(HTTPStatus.NOT_FOUND, "there is nothing here")
        else:
            self._send(Answer(status=HTTPStatus.OK, body=head))

    def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
        if self.path != ADD_CHECKPOINT:
            self.say(HTTPStatus.NOT_FOUND, "there is nothing here")
            return
        raw = self.body(MAX_REQUEST_BYTES, "request")
        if raw is not None:
            self._answer(raw)

    def _answer(self, raw: bytes) -> None:
        try:
            answer = self.server.box.answer(raw, self.server.now())
        except LockedError:
            answer = Answer(status=UNAVAILABLE, body=b"other requests are at work; try again\n")
        except NightledgerError as error:
            print(f"witness: {error}", file=sys.stderr)
            answer = Answer(status=UNAVAILABLE, body=b"this witness needs its operator\n")
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_content(answer.status, answer.body, answer.content_type)


def keygen(options: argparse.Namespace, context: Context) -> int:
    """Make a witness, and print the lines that put it into a policy."""
    if len(options.words) != 1:
        raise UsageError("a witness has one name", hint="nightledger witness keygen witness.example/harbour")
    box = create_witness(Path(options.directory), options.words[0])
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


def policy_lines(box: WitnessBox) -> list[str]:
    """Give the lines of a policy that asks for this witness: for either of its keys, which are one machine's."""
    word = "".join(c if c.isascii() and c.isalnum() else "-" for c in box.vkeys[0].name)
    witnesses = tuple(Witness(name=f"{word}-{_KINDS[key.key_type]}", key=key) for key in box.vkeys)
    group = Group(name=word, threshold=1, members=tuple(witness.name for witness in witnesses))
    policy = Policy(witnesses=witnesses, groups=(group,), quorum=word)
    return dump_policy(policy).decode().splitlines()


def add(options: argparse.Namespace, context: Context) -> int:
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
    context.print(f"It cosigns for {len(names)} log{'' if len(names) == 1 else 's'}:")
    for name in names:
        context.print(f"  {screen.shown(name)}")
    if not context.json:
        context.note("A 'witness serve' that runs already knows them at its next request.")
    return 0


def _logs_of(word: str) -> tuple[VerifierKey, ...]:
    if "+" in word:
        return (parse_vkey(word),)
    logs = parse_policy(read_regular(word, MAX_POLICY_BYTES), where=word).logs
    if not logs:
        raise UsageError(f"{word} names no log", hint="it needs a line: log <verifier key>")
    return logs


def serve(options: argparse.Namespace, context: Context) -> int:
    """Answer over HTTP until it is told to stop."""
    if options.words:
        raise UsageError("'witness serve' takes no words", hint="nightledger witness serve --help")
    server = open_server(options)
    server.serve_until_told(context, screen.shown(server.box.vkeys[0].name))
    return 0


def open_server(options: argparse.Namespace) -> WitnessServer:
    """Bind a server for a witness; the caller runs and closes it.

    Raises:
        ConfigurationError: The address is taken or is none of this machine's, or there is no witness.
    """
    box = open_witness(Path(options.directory))
    return WitnessServer((options.listen, options.port), box, system_now)


def cosign(options: argparse.Namespace, context: Context) -> int:
    """Answer requests that lie in files, once; 1 when one was refused, or could not be answered."""
    if bool(options.words) == bool(options.spool):
        raise UsageError(
            "name the files to answer, or a directory with --spool",
            hint="nightledger witness cosign --spool DIR",
        )
    if options.spool and not Path(options.spool).is_dir():
        raise MissingFileError(
            f"{options.spool} is no directory",
            hint="name the directory that both machines share: nightledger witness cosign --spool DIR",
        )
    box = open_witness(Path(options.directory))
    if options.spool:
        return _cosign_spool(options.spool, context, box)
    return _cosign_files(options.words, context, box)


def _cosign_files(paths: list[str], context: Context, box: WitnessBox) -> int:
    """Answer each request; the worst status. One that cannot be answered keeps no other from its answer."""
    found = [(path, _answered(path, box)) for path in paths]
    context.emit([_file_record(path, answer) for path, answer in found])
    worst = 0
    for path, answer in found:
        if not isinstance(answer, Answer):
            worst = max(worst, _tell(context, path, answer))
        elif answer.status == OK:
            context.print(_text(answer).removesuffix("\n"))
        else:
            worst = max(worst, EXIT_REFUSED)
            context.note(f"error: {path}: {answer.status}: {screen.shown(_text(answer).strip())}")
    return worst


def _answered(path: str, box: WitnessBox) -> Answer | NightledgerError | OSError:
    try:
        return box.answer(read_regular(path, MAX_REQUEST_BYTES), system_now())
    except LockedError:
        raise
    except (NightledgerError, OSError) as error:
        return error


def _file_record(path: str, answer: Answer | NightledgerError | OSError) -> dict[str, object]:
    if isinstance(answer, Answer):
        return {"path": path, "status": answer.status, "body": _text(answer)}
    return {"path": path, "status": UNAVAILABLE, "body": str(answer)}


def _cosign_spool(spool: str, context: Context, box: WitnessBox) -> int:
    """Answer what lies in a directory; the worst status of what could not be answered, else 0."""
    answers = list(answer_spool(spool, box, system_now()))
    context.emit([{"log": a.log, "status": a.status, "problem": str(a.error or "")} for a in answers])
    worst = 0
    for answered in answers:
        if answered.error is not None:
            worst = max(worst, _tell(context, f"the log {answered.log[:16]}…", answered.error))
        elif answered.status != OK or not context.quiet:
            context.print(f"answered {answered.status} to the log {answered.log[:16]}…")
    return worst


def _tell(context: Context, what: str, error: NightledgerError | OSError) -> int:
    """Say why a request was not answered; give the exit status."""
    context.note(f"error: {screen.shown(what)} was not answered: {screen.shown(str(error))}")
    if isinstance(error, OSError):
        return EXIT_REFUSED
    if error.hint:
        context.note(f"hint: {screen.shown(error.hint)}")
    return error.exit_status


def _text(answer: Answer) -> str:
    return answer.body.decode("utf-8", "replace")


def _state_of(box: WitnessBox) -> tuple[int, int, int]:
    """Tell one list of logs from another: to read it for each request would be work that anybody could ask for."""
    try:
        status = os.stat(box.directory / LOGS)
    except FileNotFoundError:
        return (0, 0, 0)
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def trust(options: argparse.Namespace, context: Context) -> int:
    """Sign a policy with the witnesses and the quorum of a file."""
    if len(options.words) != 1:
        raise UsageError(
            "name the file with the policy", hint="'nightledger witness keygen' prints such lines"
        )
    path = options.words[0]
    wanted = parse_policy(read_regular(path, MAX_POLICY_BYTES), where=path)

    def edit(in_force: Mapping[str, bytes]) -> Mapping[str, bytes]:
        return {"policy": merged(in_force["policy"], wanted)}

    decision = change_trust(context, edit)
    context.emit(
        {"decision": decision.id, "quorum": wanted.quorum, "witnesses": [w.name for w in wanted.witnesses]}
    )
    names = ", ".join(screen.shown(witness.name) for witness in wanted.witnesses) or "none"
    context.print(f"Signed ({decision.id}): witnesses {names}; quorum {screen.shown(wanted.quorum)}.")
    if wanted.asks:
        context.print("Say where they are in operator.yaml (witnesses), then: nightledger witness ask")
    return 0


def merged(in_force: bytes, wanted: Policy) -> bytes:
    """Give the policy that has the logs in force, and the witnesses and the quorum that are wanted."""
    logs = parse_policy(in_force, where="the policy in force").logs
    policy = Policy(logs=logs, witnesses=wanted.witnesses, groups=wanted.groups, quorum=wanted.quorum)
    content = dump_policy(policy, former_logs(in_force))
    parse_policy(content, where="the new policy")  # this home's log must not be its own witness
    return content


def ask(options: argparse.Namespace, context: Context) -> int:
    """Ask every witness; 1 when the quorum has not cosigned the newest head or one refuses, 4 when one proves another log."""
    if options.words:
        raise UsageError("'witness ask' takes no words", hint="nightledger witness ask --help")
    found = ask_round(context, everybody=True)
    if found is None:
        raise ConfigurationError(
            "no witness is asked here",
            hint="name them under witnesses in operator.yaml in $NIGHTLEDGER_KEYS; or another run is asking now",
        )
    _report_round(context, found)
    if found.standing:
        return EXIT_ALARM
    return 0 if found.met and not any(one.refused for one in found.asked) else 1


def _report_round(context: Context, found: Round) -> None:
    context.emit(
        {
            "met": found.met,
            "asked": [
                {
                    **{
                        name: getattr(one, name) for name in ("name", "size", "waiting", "problem", "refused")
                    },
                    "cosigned": bool(one.cosigned),
                    "contradiction": one.contradiction.damage.value if one.contradiction else None,
                }
                for one in found.asked
            ],
            "strangers": list(found.strangers),
            "unreachable": list(found.unreachable),
        }
    )
    for one in found.asked:
        context.print(f"{screen.shown(one.name)}: {_said_by(one)}")
    for name in found.strangers:
        context.note(
            f"note: operator.yaml names {screen.shown(name)}, which the policy does not; it was not asked"
        )
    for name in found.unreachable:
        context.note(f"note: operator.yaml has no address of {screen.shown(name)}")
    if not found.met:
        context.print("The policy's quorum has not cosigned the newest head.")


def _said_by(one: Asked) -> str:
    if one.contradiction:
        return f"{one.contradiction.damage.value.upper()}: {screen.shown(one.contradiction.message)}"
    if one.problem:
        return f"no line ({screen.shown(one.problem)})"
    return "the answer comes later" if one.waiting else f"cosigned {one.size} entries"
