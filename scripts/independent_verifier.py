#!/usr/bin/env python3
"""At any time, by anybody: check a home by docs/formats.md alone, with the standard library and ssh-keygen.

Reads   audit/, config/nightledger/, memory/, the gated files; pin and head in $NIGHTLEDGER_KEYS
Writes  nothing (what ssh-keygen needs goes to a temporary directory); changes no memory
"""

import argparse
import base64
import functools
import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

LOG, HOME = "audit/trusted-channel-audit.jsonl", "config/nightledger/home.json"
TRUST = {name: f"config/nightledger/{name}" for name in ("allowed_signers", "policy", "revoked_keys")}
TRUST |= {"constitution": "memory/system/constitution.json", "peers": "config/nightledger/peers.json"}
ODD = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
SIGNERS, ENDS = ("allowed_signers", "revoked_keys"), ("proposal.closed", "reject", "close")
SPACES, PROPOSAL = ("nightledger-decision@v1", "nightledger-recovery@v1"), "memory/state/proposals/{}.json"
TIME, START, END = datetime.fromisoformat, "0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z"
GONE, LINES = "whether it did what was signed: bytes are gone", "lines came or went that nobody signed"
EMPTY, P, ORDER = hashlib.sha256().hexdigest(), 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
SKILL = re.compile("([^/]+/)?skills/[a-z0-9]+(-[a-z0-9]+)*/SKILL.md")  # gated once it is written
D, BASE = -121665 * pow(121666, -1, P) % P, (4 * pow(5, -1, P) % P).to_bytes(32, "little")
UNCHECKED = "ML-DSA-44 lines, which need more than the standard library; whether enough witnesses cosigned, and lately; where lines stand in a file that had changed since it was signed for, and which of what drifted was kept; daily logs, the archive, blobs that no check needs, protected and derived files; shapes of records (schemas), cooling, scanners, the consent graph, touch of hardware keys, links, pins, names of entries, who reset all keys and what that made of the policy, clocks"
Entry = dict[str, Any]


def ed25519_holds(public: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether an Ed25519 signature holds (RFC 8032 section 5.1.7); ValueError for what is no point."""

    def point(raw: bytes) -> tuple[int, ...]:
        y, sign = int.from_bytes(raw, "little") & (2**255 - 1), raw[31] >> 7
        square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
        x = pow(square, (P + 3) // 8, P)
        x = x * pow(2, (P - 1) // 4, P) % P if (x * x - square) % P else x
        if y >= P or (x * x - square) % P or (x == 0 and sign):
            raise ValueError("a key or a signature holds no point of the curve")
        return (x := P - x if x & 1 != sign else x), y, 1, x * y % P

    def add(one: Sequence[int], two: Sequence[int]) -> tuple[int, ...]:
        a, b = (one[1] - one[0]) * (two[1] - two[0]) % P, (one[1] + one[0]) * (two[1] + two[0]) % P
        c, d = 2 * one[3] * two[3] * D % P, 2 * one[2] * two[2] % P
        e, f, g, h = b - a, d - c, d + c, b + a
        return e * f % P, g * h % P, f * g % P, e * h % P

    def times(number: int, one: tuple[int, ...]) -> tuple[int, ...]:
        half = times(number >> 1, add(one, one)) if number else (0, 1, 1, 0)
        return add(half, one) if number & 1 else half

    scalar = int.from_bytes(signature[32:], "little")
    if (len(public), len(signature)) != (32, 64) or scalar >= ORDER:
        return False
    number = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    left, right = times(scalar, point(BASE)), add(point(signature[:32]), times(number, point(public)))
    return not any((left[n] * right[2] - right[n] * left[2]) % P for n in (0, 1))


def _digest(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def _fold(peaks: Iterable[bytes]) -> str:
    return functools.reduce(lambda root, peak: _digest(b"\1", peak, root), reversed([*peaks])).hex()


def roots_at(lines: Sequence[bytes], sizes: Iterable[int]) -> dict[int, str]:
    """Return the RFC 6962 root over the first so many lines, in hex, for each size that the log has."""
    wanted, found, peaks = {*sizes}, {0: EMPTY}, list[bytes]()
    for size, line in enumerate(lines, start=1):
        peaks.append(_digest(b"\0", line))
        for _ in range((size & -size).bit_length() - 1):
            peaks[-2:] = [_digest(b"\1", *peaks[-2:])]
        found |= {size: _fold(peaks)} if size in wanted else {}
    return found


def read_head(raw: bytes, origin: str, vkeys: Sequence[Sequence[Any]]) -> tuple[int, str]:
    """Return size and root of a checkpoint (C2SP tlog-checkpoint) that each of the log's keys of then has signed."""
    text, _, below = raw.decode().rpartition("\n\n")
    match = re.fullmatch(r"(.+)\n(0|[1-9][0-9]{0,18})\n([A-Za-z0-9+/]{43}=)", text)
    lines = re.findall(r"— (\S+) (\S+)\n", below)
    if match is None or match[1] != origin or "".join(f"— {one} {two}\n" for one, two in lines) != below:
        raise ValueError("it is no checkpoint of this log")
    made = [(name, base64.b64decode(signature, validate=True)) for name, signature in lines]
    if any(base64.b64encode(one) != two.encode() for (_, one), (_, two) in zip(made, lines, strict=True)):
        raise ValueError("a signature is not in its one encoding (RFC 4648, 3.5)")
    until = min(upto for one, _ in vkeys if (upto := int(one or 2**63)) >= int(match[2]))
    for name, _, key in (vkey.split("+", 2) for upto, vkey in vkeys if int(upto or 2**63) == until):
        material = base64.b64decode(key, validate=True)
        key_id = hashlib.sha256(name.encode() + b"\n" + material).digest()[:4]
        mine = [signature[4:] for other, signature in made if (other, signature[:4]) == (name, key_id)]
        good = (material[0] != 1 or ed25519_holds(material[1:], one, f"{text}\n".encode()) for one in mine)
        if not mine or not all(good):
            raise ValueError(f"it is not signed by the log's key {key_id.hex()}")
    return int(match[2]), base64.b64decode(match[3]).hex()


def read_entry(line: bytes, seq: int) -> Entry | None:
    """Return an entry of its place: RFC 8785 JSON without floats and nulls; None for any other line."""
    try:
        entry: Entry = json.loads(line, parse_float=int, parse_constant=int)
        same = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == line
        fits = type(entry["seq"]) is int and (entry["seq"], entry["v"]) == (seq, 1)
        at = re.fullmatch("....-..-..T(?!24)..:..:..Z", entry["at"]) and TIME(entry["at"])
        null = b"null" in re.sub(rb'"(?:[^"\\]|\\.)*"', b"", line)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return entry if same and fits and at and not null and isinstance(entry["event"], str) else None


def ssh_verifies(files: Sequence[bytes], content: bytes, who: str, space: str, at: str) -> bool:
    """Tell whether a signature (the third file) is by one of the signers (the first), and of no revoked key."""
    words = [*f"ssh-keygen -Y verify -Overify-time={re.sub('[^0-9Z]', '', at)} -n {space} -I".split(), who]
    with tempfile.TemporaryDirectory() as folder:
        for option, raw in zip(("-f", "-r", "-s"), files, strict=True):
            Path(folder, option).write_bytes(raw)
            words += [option, f"{folder}/{option}"]
        return subprocess.run(words, input=content, capture_output=True, check=False).returncode == 0  # noqa: S603 - no shell


class _Audit:  # a home: its files, what its log says and a machine pinned of it, who signed; and what is wrong
    def __init__(self, root: Path) -> None:
        self.root, self.alarms, self.unchecked = root, list[str](), UNCHECKED.split("; ")
        self.entries, self.steps, self.doubts = list[Entry](), list[Any](), dict[str, int]()
        self.recorded, self.held, self.proposed, self.inputs = (dict[str, Entry]() for _ in range(4))
        self.wrong, self.gone, self.accepted = dict[str, str](), dict[str, str](), dict[str, str]()
        self.spent, self.applied, self.open = set[Any](), set[Any](), dict[str, tuple[Entry, str]]()

    def require(self, holds: object, kind: str, where: str | int, why: str) -> None:
        line = where if isinstance(where, str) else f"{LOG}:{where + 1}"
        (self.unchecked if why == GONE else self.alarms).extend([] if holds else [f"{kind} {line}: {why}"])

    def _read(self, name: str) -> bytes:
        real, root = Path(os.path.realpath(self.root / name)), os.path.realpath(self.root)
        return real.read_bytes() if real.is_relative_to(root) and real.is_file() else b""

    def _sha256(self, name: str) -> str:
        return _digest(self._read(name)).hex()

    def _find(self, sha: str, *names: str, since: str = START) -> bytes:
        for name in (*names, f"audit/blobs/sha256/{sha[:2]}/{sha}"):
            if self._sha256(name) == sha:
                return self._read(name)
        late = TIME(self.gone.get(sha, START)) >= TIME(since) + timedelta(days=7)  # nothing goes earlier
        raise ValueError(GONE if late else f"the bytes {sha[:16]} are kept nowhere")

    def check(self, keys: Path, against: Sequence[str]) -> None:
        identity: Entry = json.loads(self._read(HOME))
        name, self.origin = str(identity["id"]), str(identity["origin"])
        files = (keys / name / file for file in ("pin.json", "head.json"))
        self.clock = END if identity["simulated"] else f"{datetime.now(UTC) + timedelta(days=2):%FT%TZ}"  # noqa: TID251 - a program of its own
        self.pin, self.kept = (json.loads(file.read_bytes()) if file.is_file() else {} for file in files)
        self.lines = self._read(LOG).split(b"\n")[:-1]  # a line without its end was never acknowledged
        self._check_log([*self._read_heads(against)])
        if not self.alarms:  # what a damaged log says is not worth a look at anything else
            self.accepted |= {one["path"]: one["sha256"] for one in self.entries[0]["gated"]}
            told = self.entries[0] | {"id": self.origin.rpartition("/")[2], "gated": [*self.accepted]}
            other = [one for one in ("id", "origin", "simulated", "gated") if identity[one] != told[one]]
            self.require(not other, "ALTERED", HOME, f"{', '.join(other)}: not as at init")
            for look in (self._check_decisions, self._check_applies, self._check_files):
                look()

    def _read_heads(self, against: Sequence[str]) -> Iterator[tuple[str, int, str]]:
        told = re.findall(r"(?m)^(?:# until (\d+) )?log (\S+)", self._read(TRUST["policy"]).decode())
        vkeys = [*self.pin.get("former", ()), *((0, vkey) for vkey in self.pin.get("vkeys", ()))] or told
        kept = sorted(name for name in os.listdir(self.root / "audit/checkpoints") if name.isdecimal())
        for name in ("audit/checkpoint", *(f"audit/checkpoints/{size}" for size in kept), *against):
            try:
                raw = Path(name).read_bytes() if name in against else self._read(name)
                yield name, *read_head(raw, self.origin, vkeys)
            except ValueError as error:
                self.require(False, "UNSIGNED", name, str(error))
        self.unchecked += [] if self.pin else ["that a machine pinned this very log: there is no pin.json"]
        yield from (("a head seen before", one["size"], one["root"]) for one in self.pin.get("heads", ()))
        yield "the line that was pinned", bool(self.pin), self.pin.get("genesis", EMPTY)
        if self.kept:
            yield "what was acknowledged", self.kept["size"], _fold(map(bytes.fromhex, self.kept["peaks"]))

    def _check_log(self, heads: Sequence[tuple[str, int, str]]) -> None:
        own, void = {"audit/checkpoint", "what was acknowledged"}, set[int]()
        self.roots = roots_at(self.lines, range(len(self.lines) + 1))
        for name, size, root in heads:
            kind = (("ROLLBACK", "FORK"), ("TRUNCATED", "EDITED"))[name in own][size in self.roots]
            self.require(self.roots.get(size) == root, kind, LOG, f"{size} lines are not those of {name}")
        counted = max((size for name, size, _ in heads if name in own), default=0)
        read = [read_entry(line, seq) for seq, line in enumerate(self.lines[:counted])]
        for closing in reversed([one for one in read if one and one["event"] == "log.tail_closed"]):
            first, seq = closing["first"], closing["seq"]
            if seq not in void and first + closing["count"] == seq:
                void |= {*range(first, seq)}
                fresh = not any(first < size <= seq for _, size, _ in heads)
                self.require(fresh, "EDITED", seq, "it voids lines that had been signed for")
        for seq, entry in enumerate(read):
            self.require(entry or seq in void, "EDITED", seq, "the line is no entry of its place")
        self.entries = [entry for seq, entry in enumerate(read) if entry and seq not in void]

    def _named(self, name: str, at: str) -> list[str]:  # the hashes of a trust file, that in force last
        steps = [changed for since, changed, _ in self.steps if since <= TIME(at)]
        return [steps[0].get(name, EMPTY), *(changed[name] for changed in steps[1:] if name in changed)]

    def _check_decisions(self) -> None:
        for entry in self.entries:
            name, kind, at = entry.get("decision", ""), entry["event"], entry["at"]
            if kind == "decision.recorded" and name not in self.recorded:
                self.recorded[name] = entry
                try:
                    self.held[name] = self._decision(entry)
                except (ValueError, KeyError) as error:
                    self.wrong[name] = str(error)
            files = {one.get("name"): one["sha256"] for one in entry.get("trust") or entry.get("files", ())}
            if self._is_step(entry, files, self.held.get(name, {})):  # the next one ends what waits
                since = TIME(at) + timedelta(days=1) if kind == "trust.reset" else TIME(START)
                alone = {"policy": files.pop("policy")} if kind == "trust.reset" and "policy" in files else {}
                self.steps = [*(one for one in self.steps if one[0] <= TIME(at)), (since, files, name)]
                self.steps += [(TIME(START), alone, "")]  # which keys sign the log holds at once
            if kind == "home.restored" and (entry["lost"] or name):  # no head that was lost counts any more
                self.roots = {size: root for size, root in self.roots.items() if size > entry["size"]}
                signed = self._is_loss(entry, self.held.get(name, {}))
                self.require(signed, "ALTERED", entry["seq"], "it tells of a loss that no operator signed")
        self.expunged = [t for one in self.held.values() if one["type"] == "expunge" for t in one["targets"]]
        removed = {one["base"]: one["path"] for one in self.expunged if one["result"] == EMPTY}
        went = [e for e in self.entries if e["event"] == "blobs.removed" and e["at"] <= self.clock]
        self.gone = {sha: e["at"] for e in went for sha in e["sha256s"]} | dict.fromkeys(removed, END)
        for name in self.wrong:
            both = {*removed.values()} & {f"audit/decisions/{name}.json{end}" for end in ("", ".sig")}
            self.wrong[name] = GONE if both and not any(map(self._read, both)) else self.wrong[name]

    def _is_loss(self, entry: Entry, decision: Entry) -> bool:
        size, lost, head = entry["size"], entry["lost"], decision.get("log", {})
        sizes = [size + lost] if lost else range(size + 1)
        signed = [(one["path"], one["base"], one["result"]) for one in decision.get("targets", ())]
        told = ([(f"audit/checkpoints/{n}", entry.get("base"), head.get("root"))] for n in sizes)
        return (decision.get("type"), head.get("size")) == ("restore", size) and signed in told

    def _is_step(self, entry: Entry, files: Entry, decision: Entry) -> bool:
        if entry["event"] != "trust.changed":
            return bool(entry["seq"] == 0 or entry["event"] == "trust.reset")
        now = {(TRUST[name], self._named(name, entry["at"])[-1], sha) for name, sha in files.items()}
        signed = {(one["path"], one["base"], one["result"]) for one in decision.get("targets", ())}
        once = entry["decision"] not in [name for _, _, name in self.steps]
        holds = bool(decision.get("type") == "trust" and now == signed and once)
        self.require(holds, "ALTERED", entry["seq"], "no decision that holds says this change")
        return holds

    def _decision(self, entry: Entry) -> Entry:
        name, at = f"audit/decisions/{entry['decision']}.json", entry["at"]
        content, signature, found = self._read(name), self._read(f"{name}.sig"), self._sha256(f"{name}.sig")
        if (self._sha256(name), found) != (entry["sha256"], entry.get("signature_sha256")):
            raise ValueError("it, or its signature, is not what was recorded")
        decision: Entry = json.loads(content)
        said = [decision[one] for one in ("id", "type", "proposal", "changes", "origin")]
        told = [*(entry[one] for one in ("decision", "type", "proposal", "changes")), self.origin]
        if said != told or self.roots.get(decision["log"]["size"]) != decision["log"]["root"]:
            raise ValueError("it is not what the log says, or names a head of another log: FORK")
        files = *(self._find(self._named(one, at)[-1], TRUST[one]) for one in SIGNERS), signature
        who, paths = decision["principal"], {one["path"] for one in decision["targets"]}
        recovers = decision["type"] == "trust" and paths <= {TRUST[one] for one in SIGNERS}
        if not any(ssh_verifies(files, content, who, space, at) for space in SPACES[: 1 + recovers]):
            raise ValueError(f"it is not signed by {who!r}, or they could not sign then")
        return decision

    def _check_applies(self) -> None:
        for entry in self.entries:
            event, name, apply = entry["event"], entry.get("decision", ""), entry.get("apply", "")
            kind = entry["type"] if self.recorded.get(name) == entry else event
            if event == "proposal.created":
                self.proposed.setdefault(entry["proposal"], entry)
            elif event == "apply.intent":
                self.require(apply not in self.open, "UNSIGNED", entry["seq"], "it begins before it ended")
                self.open[apply] = entry, (*sorted(filter(None, self._why(entry)), key=GONE.__eq__), "")[0]
            elif event.startswith("apply."):
                self._end(entry, *self.open.pop(apply, ({}, "it ends what had not begun")))
            elif kind in (*ENDS, "change.stale"):
                about = {(name if kind == "change.stale" else entry["proposal"], n) for n in entry["changes"]}
                self.spent |= about - self.applied
        for intent, why in self.open.values():
            self.require(not why, "UNSIGNED", intent["seq"], why)

    def _end(self, entry: Entry, intent: Entry, why: str) -> None:
        if not intent or entry["event"] != "apply.aborted":
            self.require(not why, "UNSIGNED", entry["seq"], why)
            undoes = intent and self.recorded.get(intent["decision"], {}).get("type") == "undo"
            changes = {(intent["proposal"], n) for n in intent.get("changes", ())}
            back = {(intent["proposal"], n) for n in intent.get("taken_back", ())}
            self.applied |= changes
            self.spent |= back | (changes if undoes else set())
            told = {one["path"]: one.get("accepted", one["after"]) for one in intent.get("targets", ())}
            gated = {path for path in told if path in self.accepted or SKILL.fullmatch(path)}
            self.accepted |= {path: told[path] for path in gated}
            self.doubts |= dict.fromkeys(told, entry["seq"] + 1 if why == GONE else 0)

    def _why(self, intent: Entry) -> Iterator[str]:  # what an intent says that nobody signed
        name, proposal, numbers = intent["decision"], intent["proposal"], intent["changes"]
        recorded, decision = self.recorded.get(name, intent), self.held.get(name, {})
        every = {(proposal, n) for n in (*numbers, *intent.get("taken_back", ()))}
        stood = every and every & self.applied == (every if recorded.get("type") == "undo" else set())
        stood = stood and self.spent.isdisjoint(every | {(name, n) for n in numbers})
        if not stood or recorded["seq"] >= intent["seq"] or recorded["proposal"] != proposal:
            yield "its changes did not stand to be carried out under its decision"
        elif not decision:
            yield GONE if self.wrong[name] == GONE else "its decision does not hold"
        else:
            signed = {one["path"]: (one["base"], one["result"]) for one in decision["targets"]}
            signed.pop("memory/system/hebbian-links.json", 0)  # a forgotten link: nothing is written
            told = {one["path"]: (one["signed_base"], one["signed_result"]) for one in intent["targets"]}
            whole, kind = decision["changes"] == numbers, decision["type"]
            part = kind == "approve" and {*numbers} <= {*decision["changes"]}
            same = told == signed if whole else part and told.items() <= signed.items()
            same = same and decision["proposal_sha256"] == self.proposed[proposal]["sha256"]
            late, back = intent["at"] >= decision["expires"], kind != "drift" and "taken_back" in intent
            yield "its decision says otherwise, or had expired" if late or back or not same else ""
            for target in intent["targets"]:
                try:
                    yield self._target(intent, target, kind, whole=whole)
                except ValueError as error:
                    yield str(error)

    def _target(self, intent: Entry, target: Entry, kind: str, *, whole: bool) -> str:
        path, before, after, at = target["path"], target["before"], target["after"], intent["at"]
        first, last = target.get("accepted_before", before), target.get("accepted", after)
        exact = (before, after) == (target["signed_base"], target["signed_result"])
        proposed, numbers = self.proposed[intent["proposal"]], intent["changes"]
        settled = kind == "drift" and len(numbers + intent.get("taken_back", [])) == proposed["changes"]
        if not exact and kind != "approve":
            return "it did not put there what was signed"
        accepted = self.accepted.get(path, EMPTY if SKILL.fullmatch(path) else "")
        if not accepted or settled:
            return LINES if settled and last != after else ""
        if first != accepted:
            return "what it began with is not what had been accepted"
        saw = self.held[intent["decision"]]["log"]["size"] if target["signed_base"] == first else 0
        rests = GONE if saw < self.doubts.get(path, 0) else ""
        if exact and whole and (first, last) == (before, after):
            return rests
        place, approves = PROPOSAL.format(intent["proposal"]), kind == "approve"
        changes = json.loads(self._find(proposed["sha256"], place, since=at))["changes"] if approves else []
        parts = [p for c in changes if c["n"] in numbers for p in (c, *c["also"]) if p["target"] == path]
        shas = (first, last) if approves else (first, last, after, first)
        texts = [self._find(str(sha), since=at).decode("utf-8-sig", "replace") for sha in shas]
        texts += ["\n".join(p["hunk"][side] for p in parts) for side in ("added", "removed")]
        old, new, come, go = (Counter(filter(str.strip, text.splitlines())) for text in texts[:4])
        ends = [(h["anchor"], *h["section"]) for h in (p["hunk"] for p in parts) if "_end" in h["anchor"]]
        (old if old and not go and {*ends} == {("divided_end",)} else come)["§"] += len(ends)  # to divide it
        go = go if approves else old - come + Counter({"§": old["§"]})  # what stands there still did not go
        come.update(f"{'#' * n} {head}" for p in parts for head in p["hunk"]["section"] for n in range(1, 7))
        masked = [re.escape(one).replace("\u2588", ".") for one in go if "\u2588" in one]  # a secret
        go.update(line for line in old if any(re.fullmatch(one, line) for one in masked))
        return LINES if new - old - come or old - new - go else rests

    def _check_files(self) -> None:
        ends = {(d["proposal"], n) for d in self.held.values() if d["type"] in ENDS for n in d["changes"]}
        closed = {one["proposal"] for one in self.held.values() if one["type"] == "close"}
        for proposal, entry in self.proposed.items():
            name, sha = PROPOSAL.format(proposal), entry["sha256"]
            rows = [one["at"] for one in self.entries if one.get("proposal") == proposal]
            ended = {(proposal, n) for n in range(1, entry["changes"] + 1)} <= self.applied | self.spent
            late = TIME(self.gone.get(sha, START)) >= TIME(max(rows)) + timedelta(days=7)
            over = proposal in closed or (ended and late and entry["kind"] == "drift")
            holds = over or self.gone.get(sha) == END or self._sha256(name) == sha
            self.require(holds, "ALTERED", name, "it was changed after it was proposed, or is missing")
        for name, why in self.wrong.items():
            entry = self.recorded[name]
            ended = entry["type"] == "approve" and {(entry["proposal"], n) for n in entry["changes"]} <= ends
            self.require(ended or why == GONE, "ALTERED", f"audit/decisions/{name}.json", why)
        for name, path in TRUST.items():  # after a crash it may be the one before its last change
            self.require(self._sha256(path) in self._named(name, END)[-2:], "ALTERED", path, "it is another")
        cut = [(t["path"], t["after"]) for one, why in self.open.values() if not why for t in one["targets"]]
        for path, sha in self.accepted.items():
            known = not self.doubts.get(path) and (path, self._sha256(path)) in [(path, sha), *cut]
            self.require(known, "DRIFT", path, "its bytes are not those last signed")
        rewritten = [(one["path"], one["result"]) for one in self.expunged]
        for entry in self.entries:
            places = [one for one in entry.get("places", ()) if (one["path"], one["sha256"]) in rewritten]
            self.inputs |= {one["path"]: one for one in (*entry.get("inputs", ()), *places)}
        meant = [
            one for entry in self.entries if entry["event"] == "apply.intent" for one in entry["targets"]
        ]
        compressed = {(one["path"], one["after"]) for one in meant if one["after"] == one["signed_result"]}
        for name, one in self.inputs.items():
            same = _digest(self._read(name)[: one["size"]]).hex() == one["sha256"]
            same = same or (name, self._sha256(name)) in compressed
            self.require(same, "REWRITTEN", name, f"its first {one['size']} bytes are not what a night read")


def main(words: Sequence[str] | None = None) -> int:
    """Check a home, say what was checked, what not and what is wrong, and end with 4 for an alarm."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    keys = os.environ.get("NIGHTLEDGER_KEYS") or os.path.expanduser("~/.config/nightledger")
    parser.add_argument("home", help="the home's directory")
    parser.add_argument("--keys", metavar="DIR", default=keys, help="where its pin is")
    parser.add_argument("--against", metavar="FILE", action="append", default=[], help="a head kept")
    audit = _Audit(Path((options := parser.parse_args(words)).home).absolute())
    try:
        audit.check(Path(options.keys), options.against)
    except ODD as error:
        audit.require(False, "UNREADABLE", options.home, f"{type(error).__name__}: {error}")
    checked = f"checked: {len(audit.entries)} entries, {len(audit.held)} signed decisions, {len(audit.proposed)} proposals, {sum(one['event'] in ('apply.done', 'apply.raced') for one in audit.entries)} applies, {len(audit.accepted)} gated files, {len(audit.inputs)} inputs of nights"
    checked += "".join(f"\nnot checked: {line}" for line in audit.unchecked)
    verdict = "Something is wrong." if audit.alarms else "All of that holds."
    print("\n".join([*audit.alarms, checked, verdict]).encode("ascii", "backslashreplace").decode())
    return 4 if audit.alarms else 0


if __name__ == "__main__":
    raise SystemExit(main())
