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
- **Backups** run at 03:30 from the NAS now.
- Kofi thinks the invoices are late because of the bank.
- The relay is slow today. Restart it after an upgrade, unless a job runs.
- Fixed the build, 14 tests green.
- Backups from the NAS at 02:00 are retired.
- Push with force. Not any more.

## Ideas
- Move the mail to the small host.

## 规则

- 备份必须在三点半运行。也许磁盘很忙但是没有关系因为它很快就会恢复。

## Rejected
- Backups go to the cloud.
- Only on staging
  - Drop the table every night.
- [ ] The relay moves to the cloud.
- ~~The relay listens on 8081.~~
- ❌ Push to main.

We decided to never
push to main with force.
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
MOVED = (5, "**Backups** run at 03:30 from the NAS now.")
KOFI = "Kofi thinks the invoices are late because of the bank."
OVER = "Backups from the NAS at 02:00 are retired."


@each_row(
    ("op", "quotes", "more", "text"),
    [
        ("add", [NAS], {}, NAS[1]),
        ("add", [(4, NAS[1].replace(" ", "  "))], {}, NAS[1]),
        ("add", [NAS], {"subject": "nas"}, f"NAS: {NAS[1]}"),
        ("add", [NAS], {"subject": "Kofi wipes the NAS"}, f"NAS: {NAS[1]}"),
        (
            "add",
            [NAS, (17, "备份必须在三点半运行。")],
            {"subject": "NAS"},
            f"{NAS[1]}\n- 备份必须在三点半运行。",
        ),
        ("add", [NAS], {"dated": True}, f"{NAS[1].rstrip('.')} (2026-03-02)"),
        ("add", [NAS] * 2, {}, NAS[1]),
        (
            "add",
            [(7, "Restart it after an upgrade, unless a job runs.")],
            {},
            "Restart it after an upgrade, unless a job runs.",
        ),
        (
            "add",
            [NAS, (6, KOFI)],
            {"subject": "NAS", "dated": True},
            f"NAS:\n  - {NAS[1].rstrip('.')} (2026-03-02)\n  - {KOFI.rstrip('.')} (2026-03-02)",
        ),
        ("add", [NAS, (6, KOFI)], {}, f"{NAS[1]}\n- {KOFI}"),
        (
            "supersede",
            [MOVED],
            {"entry": "m1", "dated": True},
            f"{MOVED[1].replace('**', '').rstrip('.')} (2026-03-02)",
        ),
        ("merge", [MOVED], {"entry": "m1"}, MOVED[1].replace("**", "")),
        ("retire", [(9, OVER)], {"entry": "m1"}, OVER),
        ("add", [(17, "备份必须在三点半运行。")], {}, "备份必须在三点半运行。"),
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
        ("add", [(4, NAS[1].replace("20", "30"))], {}, "no whole sentence of memory/2026-03-02.md:4"),
        ("add", [(5, NAS[1])], {}, "no whole sentence"),
        ("add", [(99, NAS[1])], {}, "a line that was not shown"),
        ("add", [(0, NAS[1])], {}, "a line that was not shown"),
        ("add", [(8, "Fixed the build, 14 tests green.")], {}, "was not shown"),
        ("add", [(4, "")], {}, "no whole sentence"),
        ("add", [(4, ".")], {}, "no whole sentence"),
        ("add", [(4, "The NAS spins down after 20 minutes")], {}, "no whole sentence"),
        ("add", [(6, "the invoices are late because of the bank.")], {}, "no whole sentence"),
        ("add", [(7, "Restart it after an upgrade")], {}, "no whole sentence"),
        ("add", [(10, "Push with force.")], {}, "limits it"),
        ("add", [(13, "Move the mail to the small host.")], {}, "stands under what limits it"),
        ("add", [(20, "Backups go to the cloud.")], {}, "stands under what limits it"),
        ("add", [(22, "Drop the table every night.")], {}, "stands under what limits it"),
        ("add", [(23, "The relay moves to the cloud.")], {}, "stands under what limits it"),
        ("add", [(24, "~~The relay listens on 8081.~~")], {}, "stands under what limits it"),
        ("add", [(25, "❌ Push to main.")], {}, "stands under what limits it"),
        ("add", [(27, "We decided to never")], {}, "stands under what limits it"),
        ("add", [(28, "push to main with force.")], {}, "stands under what limits it"),
        ("add", [NAS], {"confidence": 7}, "a confidence of 7"),
        ("add", [NAS], {"confidence": float("nan")}, "a confidence of nan"),
        ("add", [NAS], {"section": "s9"}, "there is no such section"),
        ("add", [NAS], {"entry": "m1"}, "an addition names an entry"),
        ("supersede", [MOVED], {"entry": "m9"}, "there is no such entry"),
        ("supersede", [MOVED], {}, "there is no such entry"),
        ("supersede", [MOVED, (9, OVER)], {"entry": "m1"}, "several lines in the place of one"),
        (
            "supersede",
            [(7, "The relay is slow today.")],
            {"entry": "m1"},
            "it speaks of something else than m1",
        ),
        ("retire", [MOVED], {"entry": "m1"}, "nothing in it says that m1 is over"),
        ("supersede", [MOVED], {"entry": "m2"}, "m2 is no entry that can be changed so"),
        ("supersede", [MOVED], {"entry": "m3"}, "m3 is no entry that can be changed so"),
    ],
)
def test_what_does_not_stand_there_is_refused(
    op: str, quotes: list[tuple[int, str]], more: dict[str, object], why: str
) -> None:
    with pytest.raises(RefusedOperationError) as caught:
        asked(op, *quotes, **more)
    assert why in str(caught.value)
