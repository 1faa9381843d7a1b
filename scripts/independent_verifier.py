#!/usr/bin/env python3
"""At any time, by anybody: check a home's audit log with nothing of Nightledger's own code.

A second reading of docs/formats.md, with the standard library and ssh-keygen only. It says
what it checked and what it did not, and ends with 4 where something is wrong.

Reads   audit/, config/nightledger/, memory/, the gated files; pin and head in $NIGHTLEDGER_KEYS
Writes  nothing (what ssh-keygen needs goes to a temporary directory)
Changes no memory.
"""

import argparse
import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

LOG = "audit/trusted-channel-audit.jsonl"
TRUST = {name: f"config/nightledger/{name}" for name in ("allowed_signers", "policy", "revoked_keys")}
TRUST |= {"constitution": "memory/system/constitution.json", "peers": "config/nightledger/peers.json"}
DECISION, RECOVERY = "nightledger-decision@v1", "nightledger-recovery@v1"
EMPTY, RESET_WAIT_S = hashlib.sha256(b"").hexdigest(), 24 * 3600
KEPT = re.compile(r"memory/archive/\d{4}\.md|(?:.*/)?(?i:\d{4}-\d\d-\d\d([-_ T.][^/]*)?\.(md|markdown|txt))")
P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, BASE = -121665 * pow(121666, -1, P) % P, (4 * pow(5, -1, P) % P).to_bytes(32, "little")
UNCHECKED = (
    "ML-DSA-44 lines, which need more than the standard library; whether enough witnesses cosigned, and lately",
    "that each hunk leads from the bytes accepted before to those after, and once; shapes of records (schemas)",
    "cooling, expiry, scanners, the consent graph, touch of hardware keys, blobs, the archive, derived files",
)
Entry = dict[str, Any]
Point = tuple[int, int, int, int]


class BrokenError(Exception):
    """Something does not hold; the message is what to print."""


def _decompress(raw: bytes) -> Point:  # Ed25519, RFC 8032 section 5.1
    y, sign = int.from_bytes(raw, "little") & (2**255 - 1), raw[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x * pow(2, (P - 1) // 4, P) % P if (x * x - square) % P else x
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        raise BrokenError("a key or a signature holds no point of the curve")
    return (x := P - x if x & 1 != sign else x), y, 1, x * y % P


def _add(one: Point, two: Point) -> Point:
    a, b = (one[1] - one[0]) * (two[1] - two[0]) % P, (one[1] + one[0]) * (two[1] + two[0]) % P
    c, d = 2 * one[3] * two[3] * D % P, 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(number: int, point: Point) -> Point:
    total: Point = (0, 1, 1, 0)
    while number:
        total = _add(total, point) if number & 1 else total
        point, number = _add(point, point), number >> 1
    return total


def ed25519_holds(public: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether an Ed25519 signature holds."""
    scalar = int.from_bytes(signature[32:], "little")
    if (len(public), len(signature)) != (32, 64) or scalar >= ORDER:
        return False
    base, key, commitment = map(_decompress, (BASE, public, signature[:32]))
    number = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    left, right = _times(scalar, base), _add(commitment, _times(number, key))
    return not any((left[n] * right[2] - right[n] * left[2]) % P for n in (0, 1))


def roots_at(lines: Sequence[bytes], sizes: Iterable[int]) -> dict[int, str]:
    """Give the RFC 6962 root over the first so many lines, in hex, for each size that the log has."""
    wanted, found, peaks = set(sizes), {0: EMPTY}, list[bytes]()
    for size, line in enumerate(lines, start=1):
        digest, carry = hashlib.sha256(b"\0" + line).digest(), size - 1
        while carry & 1:
            digest, carry = hashlib.sha256(b"\1" + peaks.pop() + digest).digest(), carry >> 1
        peaks.append(digest)
        if size in wanted:
            found[size] = _fold(peaks)
    return found


def _fold(peaks: Sequence[bytes]) -> str:
    root = peaks[-1] if peaks else bytes.fromhex(EMPTY)
    for peak in reversed(peaks[:-1]):
        root = hashlib.sha256(b"\1" + peak + root).digest()
    return root.hex()


def read_head(raw: bytes, origin: str, vkeys: Sequence[str]) -> tuple[int, str]:
    """Give size and root of a checkpoint (C2SP tlog-checkpoint) that each of the log's keys has signed."""
    text, _, below = raw.decode().rpartition("\n\n")
    match = re.fullmatch(r"(.+)\n(0|[1-9][0-9]{0,18})\n([A-Za-z0-9+/]{43}=)", text)
    lines = re.findall(r"— (\S+) (\S+)\n", below)
    if match is None or match[1] != origin or "".join(f"— {one} {two}\n" for one, two in lines) != below:
        raise BrokenError("it is no checkpoint of this log")
    made = [(name, base64.b64decode(signature, validate=True)) for name, signature in lines]
    for name, _, key in (vkey.split("+", 2) for vkey in vkeys):
        material = base64.b64decode(key, validate=True)
        key_id = hashlib.sha256(name.encode() + b"\n" + material).digest()[:4]
        mine = [signature[4:] for other, signature in made if (other, signature[:4]) == (name, key_id)]
        good = (material[0] != 1 or ed25519_holds(material[1:], one, f"{text}\n".encode()) for one in mine)
        if not mine or not all(good):
            raise BrokenError(f"it is not signed by the log's key {key_id.hex()}")
    return int(match[2]), base64.b64decode(match[3]).hex()


def read_kept(raw: bytes) -> Entry:
    """Give what a file beside the keys says; of the two slots of ``head.json`` the newest that is whole."""
    slots = [(check, b"{%s}" % rest) for check, rest in re.findall(rb'\{"check":"(\w{64})",(.*)\}', raw)]
    whole = (json.loads(one) for check, one in slots if hashlib.sha256(one).hexdigest() == check.decode())
    return max(whole, key=lambda one: one["turn"]) if slots else json.loads(raw)


def read_entry(line: bytes, seq: int) -> Entry | None:
    """Give an entry of its place: RFC 8785 JSON without floats and nulls; None for any other line."""
    try:
        entry: Entry = json.loads(line, parse_float=int, parse_constant=int)
        same = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == line
        fits = type(entry["seq"]) is int and (entry["seq"], entry["v"]) == (seq, 1)
        at = re.fullmatch("....-..-..T(?!24)..:..:..Z", entry["at"]) and datetime.fromisoformat(entry["at"])
        null = b"null" in re.sub(rb'"(?:[^"\\]|\\.)*"', b"", line)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return entry if same and fits and at and not null and isinstance(entry["event"], str) else None


class _Home:
    """A home's files, what its log says, what a machine pinned of it; and what was found."""

    def __init__(self, root: Path) -> None:
        self.root, self.alarms, self.unchecked = root, list[str](), list(UNCHECKED)
        self.counts, self.entries = Counter[str](), list[Entry]()

    def open(self, keys: Path) -> None:
        self.identity: Entry = json.loads(self.read("config/nightledger/home.json"))
        files = (keys / str(self.identity["id"]) / name for name in ("pin.json", "head.json"))
        self.pin, self.kept = (read_kept(file.read_bytes()) if file.is_file() else {} for file in files)
        self.lines = self.read(LOG).split(b"\n")[:-1]  # a line without its end was never acknowledged
        own = re.findall(r"(?m)^log (\S+)", self.read(TRUST["policy"]).decode())
        self.vkeys: list[str] = self.pin["vkeys"] if self.pin else own

    def alarm(self, kind: str, where: str, message: str) -> None:
        self.alarms.append(f"{kind} {where}: {message}")

    def read(self, name: str) -> bytes:
        real = Path(os.path.realpath(self.root / name))
        if not real.is_relative_to(os.path.realpath(self.root)) or not real.is_file():
            raise BrokenError(f"{name} is missing or no file of this home")
        return real.read_bytes()

    def sha256(self, name: str) -> str:
        try:
            return hashlib.sha256(self.read(name)).hexdigest()
        except BrokenError:
            return EMPTY

    def of(self, *names: str) -> Iterator[Entry]:
        return (entry for entry in self.entries if entry["event"] in names)


def check_log(home: _Home, against: Sequence[str]) -> None:
    """Check lines, tree, heads, pin; afterwards ``home.entries`` are those that count."""
    heads = _read_heads(home, against)
    own = {"audit/checkpoint", "what was acknowledged"}
    counted = max((size for name, size, _ in heads if name in own), default=0)
    roots = roots_at(home.lines, [size for _, size, _ in heads])
    for name, size, root in heads:
        shorter, other = ("TRUNCATED", "EDITED") if name in own else ("ROLLBACK", "FORK")
        if size > len(home.lines):
            home.alarm(shorter, LOG, f"it has fewer lines than {name}: {size}")
        elif roots[size] != root:
            home.alarm(other, LOG, f"its first {size} lines are not those of {name}")
    _take_entries(home, min(counted, len(home.lines)))


def _read_heads(home: _Home, against: Sequence[str]) -> list[tuple[str, int, str]]:
    heads: list[tuple[str, int, str]] = []
    kept = sorted(name for name in os.listdir(home.root / "audit/checkpoints") if name.isdecimal())
    for name in ("audit/checkpoint", *(f"audit/checkpoints/{size}" for size in kept), *against):
        try:
            raw = Path(name).read_bytes() if name in against else home.read(name)
            heads.append((name, *read_head(raw, home.identity["origin"], home.vkeys)))
        except (BrokenError, ValueError) as error:
            home.alarm("UNSIGNED", name, str(error))
    home.counts["signed heads"] += len(heads)
    if not home.pin:
        home.unchecked.append("that a machine pinned this very log: there is no pin.json")
        return heads
    heads += [("a head that was seen before", one["size"], one["root"]) for one in home.pin["heads"]]
    heads.append(("the line that was pinned", 1, home.pin["genesis"]))
    if home.kept:
        peaks = [bytes.fromhex(peak) for peak in home.kept["peaks"]]
        heads.append(("what was acknowledged", home.kept["size"], _fold(peaks)))
    return heads


def _take_entries(home: _Home, counted: int) -> None:
    read, void = [read_entry(line, seq) for seq, line in enumerate(home.lines[:counted])], set[int]()
    for closing in reversed([one for one in read if one and one["event"] == "log.tail_closed"]):
        if closing["seq"] not in void and closing["first"] + closing["count"] == closing["seq"]:
            void |= set(range(closing["first"], closing["seq"]))
    for seq, entry in enumerate(read):
        if entry and seq not in void:
            home.entries.append(entry)
        elif seq not in void:
            home.alarm("EDITED", f"{LOG}:{seq + 1}", "the line is no entry of its place")
    home.counts["entries"] += len(home.entries)


class _Chain:
    """The trust files by the log: which bytes were in force where."""

    def __init__(self, home: _Home) -> None:
        self.home, self.steps = home, list[tuple[Entry, dict[str, str]]]()

    def files(self, at: Entry) -> dict[str, str]:
        found = dict.fromkeys(TRUST, EMPTY)
        for entry, changed in self.steps:
            found |= changed if _counts(entry, at) else {}
        return found

    def add(self, entry: Entry, latest: str) -> None:
        self.steps = [one for one in self.steps if _counts(one[0], entry)]  # a step ends a reset's wait
        files = {item["name"]: item["sha256"] for item in entry.get("trust") or entry["files"]}
        self.steps.append(({**entry, "at": max(entry["at"], latest)}, files))

    def content(self, name: str, sha256: str) -> bytes:
        for path in (TRUST[name], f"audit/blobs/sha256/{sha256[:2]}/{sha256}"):
            if self.home.sha256(path) == sha256 != EMPTY:
                return self.home.read(path)
        if sha256 != EMPTY:
            raise BrokenError(f"the {name} that the log names are kept nowhere")
        return b""

    def has_signed(self, content: bytes, signature: bytes, who: str, namespace: str, at: Entry) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            allowed, revoked, armour = (Path(folder) / name for name in ("allowed", "revoked", "sig"))
            for path, name in ((allowed, "allowed_signers"), (revoked, "revoked_keys")):
                path.write_bytes(self.content(name, self.files(at)[name]))
            armour.write_bytes(signature)
            when = f"verify-time={re.sub(r'[^0-9Z]', '', at['at'])}"
            words = ["-f", str(allowed), "-r", str(revoked), "-s", str(armour), "-O", when]
            command = ["ssh-keygen", "-Y", "verify", "-I", who, "-n", namespace, *words]
            return subprocess.run(command, input=content, capture_output=True, check=False).returncode == 0  # noqa: S603 - no shell


def _counts(step: Entry, at: Entry) -> bool:
    """Tell whether a step is in force: a reset waits a day, and no step of a clock makes it shorter."""
    wall_s = (datetime.fromisoformat(at["at"]) - datetime.fromisoformat(step["at"])).total_seconds()
    if step.get("boot") and step.get("boot") == at.get("boot"):
        wall_s = min(wall_s, at["boot_s"] - step["boot_s"])
    return step["event"] != "trust.reset" or wall_s >= RESET_WAIT_S


def check_decisions(home: _Home, gone: set[str]) -> dict[str, Entry]:
    """Check each decision's file, signature and head, and each trust file; give those that hold, by id."""
    chain, held, latest = _Chain(home), dict[str, Entry](), ""
    for entry in home.entries:
        name, kind = entry.get("decision", ""), entry["event"]
        changes = kind == "trust.changed" and _changes_trust(chain, entry, held.get(name, {}))
        if changes or kind in ("genesis", "trust.reset"):
            chain.add(entry, latest)
        elif kind == "decision.recorded" and entry["sha256"] not in gone and name not in held:
            try:
                held[name] = _decision(home, chain, entry)
            except (BrokenError, ValueError, KeyError) as error:
                home.alarm("ALTERED", f"audit/decisions/{name}.json", str(error))
        latest = max(latest, entry["at"])
    home.counts["signed decisions"] += len(held)
    roots = roots_at(home.lines, [one["log"]["size"] for one in held.values()])
    if any(roots.get(one["log"]["size"]) != one["log"]["root"] for one in held.values()):
        home.alarm("FORK", LOG, "a signed decision names a head that is no part of it")
    wrong = [name for name, sha in chain.files(home.entries[-1]).items() if home.sha256(TRUST[name]) != sha]
    home.alarms += [f"ALTERED {TRUST[name]}: it is not the file that the log names" for name in wrong]
    return held


def _changes_trust(chain: _Chain, entry: Entry, decision: Entry) -> bool:
    before = chain.files(entry)
    said = sorted((TRUST[one["name"]], before[one["name"]], one["sha256"]) for one in entry["files"])
    signed = sorted((one["path"], one["base"], one["result"]) for one in decision.get("targets", ()))
    if decision.get("type") == "trust" and said == signed:
        return True
    chain.home.alarm("ALTERED", f"{LOG}:{entry['seq'] + 1}", "no decision that holds says this change")
    return False


def _decision(home: _Home, chain: _Chain, entry: Entry) -> Entry:
    name = f"audit/decisions/{entry['decision']}.json"
    content, signature = home.read(name), home.read(f"{name}.sig")
    decision: Entry = json.loads(content)
    said = [decision[one] for one in ("id", "type", "proposal", "changes", "origin")]
    told = [*(entry[one] for one in ("decision", "type", "proposal", "changes")), home.identity["origin"]]
    if hashlib.sha256(content).hexdigest() != entry["sha256"] or said != told:
        raise BrokenError("it is not the one that was recorded")
    paths = {target["path"] for target in decision["targets"]}
    recovers = decision["type"] == "trust" and paths <= {TRUST["allowed_signers"], TRUST["revoked_keys"]}
    for namespace in (DECISION, RECOVERY) if recovers else (DECISION,):
        if chain.has_signed(content, signature, decision["principal"], namespace, entry):
            return decision
    raise BrokenError(f"it is not signed by {decision['principal']!r}, or they could not sign then")


def check_changes(home: _Home, held: dict[str, Entry], gone: set[str]) -> None:
    """Check proposals' files, that each apply was signed for, and the gated files' bytes."""
    ended = gone.union(*(entry["sha256s"] for entry in home.of("blobs.removed")))
    ended |= {one["proposal"] for one in held.values() if one["type"] == "close"}
    for entry in home.of("proposal.created"):
        name = f"memory/state/proposals/{entry['proposal']}.json"
        home.counts["proposals"] += 1
        if ended.isdisjoint((entry["proposal"], entry["sha256"])) and home.sha256(name) != entry["sha256"]:
            home.alarm("ALTERED", name, "it was changed after it was proposed, or is missing")
    lost = {entry["decision"] for entry in home.of("decision.recorded") if entry["sha256"] in gone}
    gated = {item["path"]: item["sha256"] for item in home.entries[0]["gated"]}
    intents = {entry["apply"]: entry for entry in home.of("apply.intent")}
    for entry in home.of("apply.aborted", "apply.done", "apply.raced"):
        intent = intents.pop(entry["apply"], None)
        if intent and entry["event"] != "apply.aborted":
            home.counts["applies"] += 1
            signed = intent["decision"] in held and _is_signed(intent, held[intent["decision"]])
            if not signed and intent["decision"] not in lost:
                home.alarm("ALTERED", intent["apply"], "no decision that holds says what was applied")
            told = {one["path"]: one.get("accepted", one["after"]) for one in intent["targets"]}
            gated |= {name: sha for name, sha in told.items() if name in gated or not KEPT.fullmatch(name)}
    unfinished = {(one["path"], one["after"]) for intent in intents.values() for one in intent["targets"]}
    for name in dict.fromkeys((*gated, *home.identity["gated"])):
        home.counts["gated files"] += 1
        if gated.get(name) != home.sha256(name) and (name, home.sha256(name)) not in unfinished:
            home.alarm("DRIFT", name, "its bytes are not those last signed")


def _is_signed(intent: Entry, decision: Entry) -> bool:
    signed = {target["path"]: target["result"] for target in decision["targets"]}
    changes = decision["type"] == "drift" or set(intent["changes"]) <= set(decision["changes"])
    results = all(one.get("signed_result") == signed.get(one["path"], "") for one in intent["targets"])
    right = decision["type"] in ("approve", "undo", "drift") and decision["proposal"] == intent["proposal"]
    return right and changes and results


def _check_inputs(home: _Home) -> None:
    both = home.of("heartbeat", "text.expunged")
    held = {one["path"]: one for entry in both for one in entry.get("inputs") or entry.get("places") or ()}
    for name, item in sorted(held.items()):
        home.counts["inputs of nights"] += 1
        begin = home.read(name)[: item["size"]] if home.sha256(name) != EMPTY else b""
        if hashlib.sha256(begin).hexdigest() != item["sha256"]:
            home.alarm("REWRITTEN", name, f"its first {item['size']} bytes are not what a night read")


def verify(root: Path, keys: Path, against: Sequence[str] = ()) -> _Home:
    """Check a home; what is wrong is in its alarms."""
    home = _Home(root)
    try:
        home.open(keys)
        check_log(home, against)
        if not home.alarms:  # what a damaged log says is not worth a look at anything else
            gone = {sha256 for entry in home.of("text.expunged") for sha256 in entry["sha256s"]}
            check_changes(home, check_decisions(home, gone), gone)
            _check_inputs(home)
            gated = [one["path"] for one in home.entries[0]["gated"]]
            if (home.identity["gated"], home.identity["simulated"]) != (gated, home.entries[0]["simulated"]):
                home.alarm("ALTERED", "config/nightledger/home.json", "gated or simulated is not as at init")
    except (BrokenError, OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        home.alarm("UNREADABLE", str(root), f"{type(error).__name__}: {error}")
    return home


def main(words: Sequence[str] | None = None) -> int:
    """Check a home, say what was found, and give the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    keys = os.environ.get("NIGHTLEDGER_KEYS") or os.path.expanduser("~/.config/nightledger")
    parser.add_argument("home", help="the home's directory")
    parser.add_argument("--keys", metavar="DIR", default=keys, help="where its pin is")
    parser.add_argument("--against", metavar="FILE", action="append", default=[], help="a head kept")
    options = parser.parse_args(words)
    home = verify(Path(options.home).absolute(), Path(options.keys), options.against)
    print("\n".join(home.alarms).encode("ascii", "backslashreplace").decode(), end="\n" * bool(home.alarms))
    print("checked: " + (", ".join(f"{number} {what}" for what, number in home.counts.items()) or "nothing"))
    print("\n".join(f"not checked: {line}" for line in home.unchecked))
    print("Something is wrong." if home.alarms else "All of that holds.")
    return 4 if home.alarms else 0


if __name__ == "__main__":
    sys.exit(main())
