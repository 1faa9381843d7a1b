"""What of a model's answer is taken, and in which words."""

from datetime import date

import msgspec
import pytest
from tests.rows import each_row

from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import find_entries
from nightledger.text.statements.daylog import read_daylog
from nightledger.think.contract import Chosen, Operation, RefusedOperationError, View, judge

LOG = """# 2026-03-02

## NAS
- The NAS spins down after 20 minutes, so the first request times out.
- **Backups** moved: they run at 03:30 now. Probably the disk was busy.
- Kofi thinks the invoices are late because of the bank.
- The relay is slow. Restart it after an upgrade, unless a job runs.
- Fixed the build, 14 tests green.

## Ideas
- Move the mail to the small host.

## 规则
- 备份必须在三点半运行。也许磁盘很忙。
"""
MEMORY = """# Memory

## Infra

- Backups run at 02:00 from the NAS
- The relay listens on 8080
  - behind the proxy

| a | b |
|---|---|
| Backups | 02:00 |
"""


def view() -> View:
    log = read_daylog("memory/2026-03-02.md", LOG, date(2026, 3, 2))
    document = parse_markdown(MEMORY)
    return View(
        logs={"d1": log},
        shown={"d1": frozenset(range(1, len(log.lines))) - {8}},
        entries={f"m{n}": entry for n, entry in enumerate(find_entries(document), 1)},
        sections={"s1": ("Memory",), "s2": ("Memory", "Infra")},
    )


def asked(op: str, *quotes: tuple[int, str], **more: object) -> Chosen:
    told = {
        "op": op,
        "quotes": [{"log": "d1", "line": line, "text": text} for line, text in quotes],
        "confidence": 0.8,
        **more,
    }
    return judge(msgspec.convert(told, Operation), view())


NAS = (4, "The NAS spins down after 20 minutes, so the first request times out.")
MOVED = (5, "they run at 03:30 now.")


@each_row(
    ("op", "quotes", "more", "text"),
    [
        ("add", [NAS], {}, NAS[1]),
        ("add", [(4, "The NAS spins  down after 20 minutes")], {}, "The NAS spins down after 20 minutes"),
        ("add", [MOVED], {"subject": "NAS Backups"}, f"NAS Backups: {MOVED[1]}"),
        ("add", [NAS], {"subject": "the NAS"}, NAS[1]),
        ("add", [NAS] * 2, {}, NAS[1]),
        (
            "add",
            [(7, "The relay is slow."), (7, "Restart it after an upgrade, unless a job runs.")],
            {},
            "The relay is slow.\n- Restart it after an upgrade, unless a job runs.",
        ),
        ("supersede", [MOVED], {"entry": "m1", "subject": "Backups"}, f"Backups: {MOVED[1]}"),
        ("add", [NAS], {"dated": True}, f"{NAS[1].rstrip('.')} (2026-03-02)"),
        (
            "add",
            [NAS, (5, "they run at 03:30 now.")],
            {"subject": "NAS Backups", "dated": True},
            f"NAS Backups (2026-03-02):\n  - {NAS[1]}\n  - {MOVED[1]}",
        ),
        ("add", [NAS, MOVED], {}, f"{NAS[1]}\n- {MOVED[1]}"),
        ("retire", [MOVED], {"entry": "m1", "subject": "Backups run"}, f"Backups run: {MOVED[1]}"),
        # what limits a claim may stand in the subject
        (
            "add",
            [(6, "the invoices are late because of the bank.")],
            {"subject": "Kofi thinks"},
            "Kofi thinks: the invoices are late because of the bank.",
        ),
        (
            "add",
            [(11, "Move the mail to the small host.")],
            {"subject": "Ideas"},
            "Ideas: Move the mail to the small host.",
        ),
        ("add", [(14, "备份必须在三点半运行。")], {}, "备份必须在三点半运行。"),
    ],
)
def test_a_result_is_made_of_quotes_and_of_words_around_them(
    op: str, quotes: list[tuple[int, str]], more: dict[str, object], text: str
) -> None:
    assert asked(op, *quotes, **more).statement.text == text


@each_row(
    ("op", "quotes", "more", "why"),
    [
        ("add", [], {}, "it has 0 quotes"),
        ("add", [NAS] * 6, {}, "it has 6 quotes"),
        ("add", [(4, "The NAS spins down after 30 minutes")], {}, "does not stand in memory/2026-03-02.md:4"),
        ("add", [(5, NAS[1])], {}, "does not stand in"),
        ("add", [(99, NAS[1])], {}, "a line that was not shown"),
        ("add", [(0, NAS[1])], {}, "a line that was not shown"),
        ("add", [(8, "Fixed the build, 14 tests green.")], {}, "was not shown"),
        ("add", [(6, "Kofi thinks:")], {}, "does not stand in"),
        ("add", [(5, "**Backups** moved:")], {}, "only introduces others"),
        ("add", [(4, "")], {}, "does not stand in"),
        ("add", [(4, "NAS spins down after 2")], {}, "within a word"),
        ("add", [(6, "the invoices are late because of the bank.")], {}, "'thinks' is cut off"),
        ("add", [(7, "Restart it after an upgrade")], {}, "'unless' is cut off"),
        ("add", [(11, "Move the mail to the small host.")], {}, "'Ideas' is cut off"),
        ("add", [NAS], {"confidence": 7}, "a confidence of 7"),
        ("add", [NAS], {"confidence": float("nan")}, "a confidence of nan"),
        ("add", [NAS], {"subject": "The NAS of Kofi"}, "'Kofi' of its subject stands nowhere"),
        ("add", [NAS], {"subject": "NAS, 45 minutes"}, "'45' of its subject stands nowhere"),
        ("add", [NAS], {"subject": "NAS " * 30}, "a subject of"),
        ("add", [NAS], {"section": "s9"}, "there is no such section"),
        ("add", [NAS], {"entry": "m1"}, "an addition names an entry"),
        ("supersede", [MOVED], {"entry": "m9"}, "there is no such entry"),
        ("supersede", [MOVED], {}, "there is no such entry"),
        ("retire", [(7, "The relay is slow.")], {"entry": "m1"}, "it speaks of something else than m1"),
        ("supersede", [MOVED], {"entry": "m3"}, "m3 is no entry that can be changed so"),
    ],
)
def test_what_does_not_stand_there_is_refused(
    op: str, quotes: list[tuple[int, str]], more: dict[str, object], why: str
) -> None:
    with pytest.raises(RefusedOperationError) as caught:
        asked(op, *quotes, **more)
    assert why in str(caught.value)


def test_a_limit_in_another_sentence_of_the_line_is_left_out() -> None:
    assert asked("add", (5, "they run at 03:30 now."), subject="Backups").statement.text.endswith(
        "03:30 now."
    )
