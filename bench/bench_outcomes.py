"""Outcomes derived from sessions beside what independent judges said of them: agreement, and the share left unknown.

Run with ``PYTHONPATH=scripts:. .venv/bin/python -m bench.bench_outcomes DIRECTORY [--written-on]``; nothing of the directory
is ours. It holds any of: runs of mini-swe-agent on SWE-bench (``<id>.traj.json`` somewhere, ``logs/<id>/report.json`` beside),
runs of OpenHands on SWE-bench (``trajs/<id>/*.json``, the last question to the model and its answer, ``results/results.json`` beside),
runs of tau-bench (``*airline*.json``, a list of ``traj`` and ``reward``), and sessions of Claude Code (``*.jsonl``), without a
judge. Rules were written on the tasks whose SHA-256 is even; the others are reported, or with ``--written-on`` those.

A run is compared in two ways. *Whole*: what was derived last of it, with whether the judge held the task for solved. *Same
checks*: a check that the agent ran last, with how the judge's own run of the same tests on the same files ended.
"""

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.deriving import Derived, Deriver
from nightledger.domain.outcome import Result, Signal
from nightledger.domain.transcript import Speaker, Turn
from nightledger.hosts.transcript_formats import SessionFile, Store, table
from nightledger.hosts.transcript_lines import Grammar
from nightledger.hosts.transcript_reading import Cursor, Reading
from nightledger.jobs.transcripts import rules
from nightledger.text.statements.said import prose_of

AT = datetime(2026, 1, 1, tzinfo=UTC)
COMMAND = re.compile(r"```bash\n(.*?)\n```", re.DOTALL)
ENDED = re.compile(r"\[Command finished with exit code (-?\d+)\]\s*\Z")
"""OpenHands' own words, behind what a command gave out."""
UPLOADED = re.compile(r"<uploaded_files>\s*(\S+)")
STATUS = re.compile(r"<returncode>(-?\d+)</returncode>")
AIM = 0.95


class Run(Struct, kw_only=True):
    """A run of an agent.

    Attributes:
        name: Of its task.
        turns: In their order.
        is_solved: What the judge says; None where there is none.
        tests: How the judge's run ended of each test that was there before and should still pass.
    """

    name: str
    turns: list[Turn]
    is_solved: bool | None = None
    tests: dict[str, bool]


def told(speaker: Speaker, n: int, **members: Any) -> Turn:
    """Return a turn of a run that tells no times."""
    return Turn(speaker=speaker, at=AT, session="s", line=n, cwd="/testbed", **members)


def swe_runs(folder: Path) -> Iterator[Run]:
    """Yield runs of mini-swe-agent: a command a step, and its exit status."""
    reports = {path.parent.name: path for path in folder.rglob("report.json")}
    for path in sorted(folder.rglob("*.traj.json")):
        name = path.name.removesuffix(".traj.json")
        if name not in reports:
            continue
        report = json.loads(reports[name].read_text())
        known = (report.get("tests_status") or {}).get("PASS_TO_PASS", {"success": [], "failure": []})
        tests = {test: good for word, good in (("success", True), ("failure", False)) for test in known[word]}
        turns: list[Turn] = []
        for n, message in enumerate(json.loads(path.read_text())["messages"][2:]):
            if message["role"] == "assistant":
                turns.append(told(Speaker.ASSISTANT, n, text=message["content"]))
                given = COMMAND.findall(message["content"])
                turns.append(
                    told(Speaker.CALL, n, call=str(n), tool="bash", command=given[-1] if given else "")
                )
            elif found := STATUS.match(message["content"]):
                turns.append(told(Speaker.TOOL, n, call=str(n - 1), exit_status=int(found[1])))
        yield Run(name=name, turns=turns, is_solved=bool(report.get("resolved")), tests=tests)


def openhands_runs(folder: Path) -> Iterator[Run]:
    """Yield runs of OpenHands; without a judge where it got no patch, or none that it could try."""
    for results in sorted(folder.rglob("results/results.json")):
        judged = json.loads(results.read_text())
        for path in sorted((results.parent.parent / "trajs").glob("*/*.json")):
            log, name = json.loads(path.read_text()), path.parent.name
            answers = [choice["message"] for choice in log["fncall_response"]["choices"]]
            is_solved = name in judged["resolved"] if name in judged["completed_ids"] else None
            turns = list(openhands_turns([*log["fncall_messages"], *answers]))
            yield Run(name=name, turns=turns, is_solved=is_solved, tests={})


def openhands_turns(messages: list[dict[str, Any]]) -> Iterator[Turn]:
    """Yield what a model was told and answered."""
    cwd = "/workspace"
    for n, message in enumerate(messages):
        content = message.get("content") or ""
        text = content if isinstance(content, str) else "".join(one.get("text", "") for one in content)
        if message["role"] == "user":
            cwd = found[1] if (found := UPLOADED.search(text)) else cwd
        if message["role"] in ("user", "assistant"):
            yield replace(told(Speaker(message["role"]), n, text=text), cwd=cwd)
        for call in message.get("tool_calls") or ():
            given = json.loads(call["function"]["arguments"])
            members = {name: given.get(name) or "" for name in ("command", "path")}
            tool = call["function"]["name"]
            yield replace(told(Speaker.CALL, n, call=call["id"], tool=tool, **members), cwd=cwd)
        if message["role"] == "tool":
            status = int(found[1]) if (found := ENDED.search(text)) else None
            yield replace(told(Speaker.TOOL, n, call=message["tool_call_id"], exit_status=status), cwd=cwd)


def tau_runs(folder: Path) -> Iterator[Run]:
    """Yield runs of tau-bench: tools without a status, and a simulated user."""
    for path in sorted(folder.rglob("*airline*.json")):
        for run in json.loads(path.read_text()):
            turns: list[Turn] = []
            for n, message in enumerate(run["traj"][1:]):
                said = message.get("content") or ""
                if message["role"] in ("user", "assistant"):
                    turns.append(
                        told(
                            Speaker(message["role"]),
                            n,
                            text=said.replace("###STOP###", "").strip(),
                            id=str(n),
                        )
                    )
                for call in message.get("tool_calls") or ():
                    name = call["function"]["name"]
                    turns.append(told(Speaker.CALL, n, call=call["id"], tool=name))
                if message["role"] == "tool":
                    turns.append(told(Speaker.TOOL, n, call=message["tool_call_id"], tool=message["name"]))
            yield Run(name=str(run["task_id"]), turns=turns, is_solved=run["reward"] == 1, tests={})


def claude_runs(folder: Path) -> Iterator[Run]:
    """Yield sessions of Claude Code, read as ``import`` reads them."""
    form = next(one for one in table().formats if one.host == "claude_code")
    grammar = Grammar(form)
    for path in sorted(folder.rglob("*.jsonl")):
        file = SessionFile(
            path=str(path), name=path.name, store=Store(files="*"), size_bytes=path.stat().st_size
        )
        yield Run(name=path.stem, turns=list(Reading(grammar, file, Cursor()).turns()), tests={})


def derive(run: Run) -> tuple[list[Derived], int]:
    """Return what is derived of a run, and of how many tasks nothing is."""
    deriver, found = Deriver(rules()), list[Derived]()
    for turn in run.turns:
        lines = prose_of(turn.text, table().injected) if turn.speaker is Speaker.USER else []
        found += deriver.read(turn, lines, b"")
    return [*found, *deriver.end()], deriver.unknown


def same_tests(one: Derived, tests: dict[str, bool]) -> bool | None:
    """Return whether the judge's run of the tests that a command names passed; None where it ran none of them.

    A test stands in a report as ``path::name`` or as ``name (package.module.Class)``.
    """
    named = [
        re.sub(r"\.py$", "", word.split("::")[0]).strip("./")
        for word in one.command.split()
        if not word.startswith("-")
    ]
    spelled = {
        name.replace("/", ".")
        for name in named
        if len(name) > len("test") and "pytest" not in name and "runtests" not in name
    }
    ended = [
        good
        for test, good in tests.items()
        for where in (re.sub(r"\.py::.*$", "", test).replace("/", "."), test.partition("(")[2].rstrip(")"))
        if any(where == name or where.startswith(f"{name}.") for name in spelled)
    ]
    return all(ended) if ended else None


def row(name: str, pairs: list[tuple[Result | None, bool]], runs: int) -> None:
    """Print how often what was derived agrees with a judge."""
    counts = Counter(pairs)
    solved = sum(n for (_, good), n in counts.items() if good)
    print(f"  {name}: {len(pairs)}, of which the judge holds {solved / max(1, len(pairs)):.2f} for good")
    for result, means in ((Result.SUCCESS, True), (Result.FAILURE, False)):
        of = counts[result, True] + counts[result, False]
        precision = f"{counts[result, means] / of:.2f}" if of else "-"
        print(
            f"    derived {result}: {of}, of {runs} runs {of / runs:.2f}, precision {precision} (aim {AIM})"
        )


def compare(run: Run, found: list[Derived]) -> list[tuple[Result | None, bool]]:
    """Return how the checks that a run had last ended, each with how the judge's run of the same tests did."""
    last = {one.task_type: one for one in found if one.signal is Signal.TEST}
    both = ((one.result, same_tests(one, run.tests)) for one in last.values())
    return [(result, good) for result, good in both if good is not None]


def is_thanks(run: Run) -> bool:
    """Return whether the user's last word, of more than one, is thanks."""
    said = [turn.text for turn in run.turns if turn.speaker is Speaker.USER and turn.text]
    return len(said) > 1 and bool(re.search(r"\b(thank|great|perfect)", said[-1], re.IGNORECASE))


def report(kind: str, runs: list[Run]) -> None:
    """Print what is derived of runs, by signal and kind of task, and how it agrees."""
    derived = [(run, *derive(run)) for run in runs]
    kinds = Counter(f"{one.signal} {one.task_type}: {one.result}" for _, found, _ in derived for one in found)
    unknown = sum(left for *_, left in derived)
    tasks = unknown + sum(bool(found) for _, found, _ in derived)
    print(
        f"{kind}: {len(runs)} runs, {kinds.total()} outcomes; {unknown} of {tasks} tasks unknown, {sum(not one.resolution for _, found, _ in derived for one in found)} outcomes without a name"
    )
    for name, count in kinds.most_common(12):
        print(f"  {count:5} {name}")
    judged = [(run, found) for run, found, _ in derived if run.is_solved is not None]
    if judged:
        row(
            "whole runs",
            [(found[-1].result if found else None, bool(run.is_solved)) for run, found in judged],
            len(runs),
        )
    if same := [pair for run, found in judged for pair in compare(run, found)]:
        row("the same checks, run by the judge", same, len(runs))
    if thanked := [run.is_solved for run, _ in judged if is_thanks(run)]:
        print(
            f"  runs whose last word is thanks: {len(thanked)}, solved {sum(map(bool, thanked)) / len(thanked):.2f}"
        )


def main(directory: str, *options: str) -> None:
    """Read what is there, and report one half."""
    half = 0 if "--written-on" in options else 1
    print(f"half {'that rules were written on' if not half else 'not used to write the rules'}")
    for kind, read in (
        ("SWE-bench, mini-swe-agent", swe_runs),
        ("SWE-bench, OpenHands", openhands_runs),
        ("tau-bench airline", tau_runs),
        ("Claude Code", claude_runs),
    ):
        runs = [
            run for run in read(Path(directory)) if hashlib.sha256(run.name.encode()).digest()[-1] % 2 == half
        ]
        if runs:
            report(kind, runs)
            if "--show" in options:
                show(runs)


def show(runs: list[Run]) -> None:
    """Print each outcome with what told it, to be read."""
    for run in runs:
        by_line = {turn.line: turn for turn in run.turns}
        for one in derive(run)[0]:
            said = by_line[one.line].text if one.line in by_line else ""
            print(
                f"{run.name}:{one.line} {one.result} {one.signal} {one.task_type} {one.resolution} | {one.command or said[:200]!r}"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
