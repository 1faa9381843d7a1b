# ruff: noqa: RUF001 - marks of other scripts are test material
from datetime import date

import pytest
from tests.rows import each_row

from nightledger.text.checkup.signs import DECISION_SIGNS, SIGNS
from nightledger.text.checkup.units import read_units
from nightledger.text.checkup.view import look
from nightledger.text.markdown.document import parse_markdown

TODAY = date(2026, 5, 1)
TABLE = "| {0} |\n|{1}|\n| {2} |\n"


def shown(document: str) -> set[str]:
    *_, view = look(read_units(parse_markdown(document)), TODAY)
    return {sign.name for sign in SIGNS if sign.test(view)}


def row(columns: str, cells: str) -> str:
    return TABLE.format(columns, "---|" * columns.count("|") + "---", cells)


CATCHES = {
    "promoted": [
        "- a note [score=0.87 recalls=0 avg=0.6]",
        "<!-- openclaw-memory-promotion:memory:memory/a.md:1:1 -->",
    ],
    "run_note": ["- carried forward from the log of Monday", "本文件自动生成"],
    "gone": ["- **ferry** — DECOMMISSIONED 2026-02-11", "- Der Ofen ist außer Betrieb"],
    "ended": ["- Two reminders removed (Mon/Wed)", "- le rappel a été supprimé."],
    "former": ["- Previous workshop used the red press", "- Früherer Ablauf: Karten auf Papier"],
    "done": ["- roof repaired and paid, deal closed"],
    "done_end": ["- the roof is fixed; paint is ordered"],
    "did": ["- Added a hook to the door", "- ajouté un crochet"],
    "box": ["- [x] buy a ladder"],
    "tick_first": ["- ✅ ladder bought"],
    "tick": ["- Ladder bought ✅"],
    "tick_row": [row("Job | Note", "roof | ✅ good")],
    "row_state": [row("Job | Note", "roof | ✅ Running")],
    "struck": [
        "- ~~buy a ladder~~",
        "- ~~buy a ladder~~ bought 2026-03-02",
        "- ~~buy a ladder~~ (done)",
        "- ~~alte Lampe~~ abgeschaltet",
    ],
    "over_label": [
        "- DONE: ladder for the hall",
        "- done - ladder",
        "- [done] ladder",
        "- ✅ Erledigt: Leiter",
        "- 已完成：梯子",
    ],
    "over_value": ["- Status: Closed - the roof of the hall", "STATUS: resolved, no rest", "- Stato: chiuso"],
    "over_end": ["- Leak in the hall (resolved 2026-03-02)", "- Leak answered 2026-03-02."],
    "deadline": ["- Sign the forms before 2026-04-01", "- plates by 2026-04-01, ink later"],
    "appointed": ["- Dentist on 2026-04-01 at 10:00", "- Zahnarzt am 2026-04-01 um 10:00 Uhr"],
    "over_on": ["- Leak in the hall (resolved 2026-03-02, new pipe)", "- Streit geklärt am 2026-03-02"],
    "ended_on": [
        "- Car inspection due by 2026-04-01",
        "- Einsendefrist der Pläne: 2026-04-01",
        "- Offer of the mill holds until 2026-04-01",
        "- the lease ends 2026-04-01, look for another",
        "- Angebot gilt bis zum 2026-04-01",
        "- on the small press until the roof is mended on 2026-04-01",
        "- 优惠有效期至 2026-04-01",
        "- 2026-04-01まで休み",
    ],
    "duty": [
        "- Buy tickets for the fair of 2026-04-01",
        "- The plans must be printed by 2026-04-01",
        "- Tickets for the fair on 2026-04-01 must be fetched",
    ],
    "temporary": ["- Temporary: on the small press (2026-04-01)", "- 临时使用小机器 2026-04-01"],
    "last_look": ["- 12 lamps in the hall, last counted 2026-04-01", "- Letzter Lauf 2026-04-01"],
    "last_first": [
        "- Last count 2026-04-01 06:30, 12 lamps",
        "- Latest count 2026-04-01 06:30 went well",
        "- Last seen 2026-04-01 at 06:30",
        "- last count: 2026-04-01",
    ],
    "looked_at": ["- 12 lamps (checked 2026-04-01)"],
    "since": ["- Zeno is live since 2026-04-01"],
    "build": ["- Zeno, build 3c91f07", "- Zeno, build 6500412"],
    "status_row": [row("Host | Status", "atlas | up"), row("Host | 状态", "atlas | 好")],
    "timer_row": [row("Check | Last run", "roof | Monday")],
    "task_row": [row("Task | Effort | Impact", "roof | 2 h | dry")],
    "updated": ["Last updated: 2026-04-04", "最后更新：2026-04-04"],
    "status_line": ["- **Status:** half built", "- 状态：一半"],
    "state": ["- **Pump:** Running, no noise"],
    "version": ["- **Python:** 3.10.1", "- **Node:** v19.4"],
    "version_label": ["- **Current version:** 4.1.20.3 (left one)"],
    "version_end": ["- **Agent:** Zeno (Relay 4.2.1)"],
    "score": ["- the press has 0.7312"],
    "measures": ["- Query: <3ms (was 40ms)", "- 88% coverage, ~6ms"],
    "measure": ["- Query: <3ms"],
    "counts": ["- 12 jobs, 9 enabled"],
    "waits": ["- Lease: still pending", "- Vertrag: wartet auf Unterschrift"],
    "waits_in": ["- The lease of the hall " + "by the river " * 10 + "is still pending"],
    "wait_mark": ["- ⏳ the lease"],
    "as_of": ["- as of 2026-03-26 the hall has one door"],
    "now": ["- currently two lamps"],
    "missed": ["- the lease is due 2026-04-01"],
    "day_file": ["- Log of the flood: `memory/2026-01-17.md`"],
    "date_heading": ["### 2026-03-02\n- two lamps", "### 2 March\n- two lamps"],
    "report_day": ["## Status (2026-03-02)\n- two lamps"],
    "report": ["## Current status\n- two lamps", "## 系统状态\n- 灯"],
    "today": ["## Today's work\n- two lamps"],
    "hash": ["- 7e40c19: guide for the press", "- **Commits:** 3c91f07, 5b20e44"],
    "empty": ["- (will be filled as we go)", "_(à remplir)_"],
    "footer": ["text\n\n_the notes of each day stay in their files_", "_Stand 2026-03-02_"],
    "open_box": ["- [ ] buy a ladder"],
    "rule": ["- never open the valve", "- niemals das Ventil öffnen", "- 必须关门"],
    "lasting": ["## House rules\n- two lamps"],
    "long": ["- " + "two lamps and " * 20],
    "ahead": ["- the lease starts 2026-06-01"],
    "decision": [row("Date | Decision | Reason", "May | red press | cheap")],
    "gone_in": ["- the old pump of the hall " + "by the river " * 10 + "was decommissioned"],
    "answer": ["- [x] What does the hall cost? ✅ 400 a month", "- Who pays? → Anna"],
    "open_heading": ["## Plans (pending)\n- roof fixed in May", "## Noch nicht gebaut\n- Dach"],
    "tick_label": ["- ✅ Hall: two doors, one lamp"],
    "fresh": [
        "- as of 2026-04-28 the hall has one door",
        "- ⏳ lease still pending (2026-04-28)",
        "## Plans (2026-04-28)\n- lease still pending",
    ],
    "telling_row": [row("Host | Status | Place", "atlas | up | `/srv/atlas`")],
    "points": ["- Vault: ✅ kept in `/srv/vault`"],
    "wide_row": [row("Host | Use | Address | Status", "atlas | prints | hall | up")],
    "enumeration": [
        "- Status: pending, running, done",
        "- 状态：running/done/failed",
        "- Ask about lamps, doors, roofs, pending",
    ],
}
SPARES = {
    "promoted": ["- he scored 0.87 points"],
    "run_note": ["- the report is generated by the press"],
    "gone": [
        "- pass of the van (ask for another when expired)",
        "- query with state != 'cancelled'",
        "- the bridge is open",
    ],
    "ended": ["- half-built things get deleted", "- removed paint harms the floor"],
    "former": ["- old drive at D:", "- she used the previous press"],
    "done": ["- fixed-price offers"],
    "done_end": ["- the fixed price of the roof", "- roof not yet fixed", "- harvest (2011-2014 verified)"],
    "did": ["- Created: 2026-02-14", "- adding a hook helps"],
    "box": ["- [ ] buy a ladder"],
    "tick_first": ["- [x] ✅ bought", "- tag with (✅/⏳)"],
    "tick": ["- log half days (✅/❌)"],
    "tick_row": ["- ✅ roof"],
    "row_state": [row("Job | Note", "Running | a book on sport")],
    "struck": ["- ~~Port 80~~ Port 8080", "- buy a ladder ~~today~~", "- buy a ladder"],
    "over_label": ["- Done means: paid and painted", "- Resolved questions: two", "- all done"],
    "over_value": ["- Door: closed", "- Status: closed doors are blue"],
    "over_end": ["- Leak (resolved 2026-03-02, new pipe)", "- Leak answered"],
    "deadline": [
        "- Sign the forms before 2026-06-01",
        "- by 2026-04-01 two lamps had died",
        "- fixed the roof by 2026-04-01",
    ],
    "appointed": [
        "- Dentist on 2026-06-01 at 10:00",
        "- Dentist on 2026-04-01",
        "- On the way to the hall the red press fell down on 2026-04-01 at 10:00 sharp.",
    ],
    "over_on": [
        "- Press fixed (2026-03-02): the belt was wet",
        "- The hall (completed 2026-03-02) has two doors",
        "- leak resolved 2026-06-02",
        "- leak resolved",
    ],
    "ended_on": [
        "- Offer of the mill holds until 2026-06-01",
        "- closed from 2026-03-02 until 2026-04-01",
        "- until 2026-04-01 the small press, until 2026-06-01 the red one",
        "- until 4 April the hall is shut",
        "- the mill opened 2026-04-01",
    ],
    "duty": [
        "- The plans must be printed by 2026-06-01",
        "- Send plans as copies; agreed on 2026-04-01",
        "- Plans must always be printed, as on 2026-04-01",
        "- 2026-04-01: plans must be printed",
        "- The plans were printed on 2026-04-01",
    ],
    "temporary": ["- Temporary: on the small press", "- Temporary: on the small press until 2026-06-01"],
    "last_look": ["- the lamp lasts; bought 2026-04-01", "- last lamp"],
    "last_first": [
        "- Last quarrel: 2026-04-01 \N{EM DASH} said yes before asking",
        "- 12 lamps, last count 2026-04-01",
    ],
    "looked_at": ["- check by 2026-04-01"],
    "since": ["- Zeno is live", "- Anna works here since 2026-04-01"],
    "build": ["- build the hall"],
    "status_row": [row("Host | Address", "atlas | 10.0.0.7")],
    "timer_row": [row("Host | Address", "atlas | 10.0.0.7")],
    "task_row": [row("Time | Task | Who", "02:00 | backup | Anna")],
    "updated": ["- the last update of the press was loud"],
    "status_line": ["- `health.js`: watches the pump", "- status-board.sh: draws"],
    "state": ["- **Purpose:** Clean up the shed", "- Level 1 (<10): stable"],
    "version": ["- **Address:** 10.3.10.66", "- **Start:** 02.02.2026"],
    "version_label": ["- **Conversion:** 3 cups"],
    "version_end": ["- Stack: Zeno v0.15.5, small model", "- URL: https://atlas.example (v2.0.0)"],
    "score": ["- wait 0.5 s"],
    "measures": ["- cache 30s for pages, 60s for lists", "- shares: 40 % / 60 %"],
    "measure": ["- wait 30s"],
    "counts": ["- 16 GB memory, 2 disks"],
    "waits": [
        "- rules for `pending` notes",
        "- act without waiting",
        "- list: memory/pending.md",
        "- ask when pending",
    ],
    "waits_in": ["- Lease: still pending"],
    "wait_mark": ["- tag with (✅/⏳/🔄)"],
    "as_of": ["- as of right now"],
    "now": ["- the current of the river"],
    "missed": ["- the lease is due 2026-06-01", "- built 2026-04-01"],
    "day_file": [
        "- Report: `memory/2026-02-21-roof.md`",
        "- the story of the roof and why it leaks: `memory/2026-02-21.md`",
    ],
    "date_heading": ["### Workshop 2026-03-02\n- two lamps"],
    "report_day": ["## Status\n- two lamps", "## Workshop, confirmed 2026-03-02\n- two lamps"],
    "report": ["## Status rules\n- two lamps", "## Garden\n- two lamps"],
    "today": ["## Lamps\n- two"],
    "hash": ["- the facade needs paint", "- see 3c91f07 for the reason"],
    "empty": ["- page says 'to be added'"],
    "footer": ["_a note on files_\n\n" + "- item\n" * 8, "_lamps before doors, always_"],
    "open_box": ["- [x] buy a ladder"],
    "rule": ["- two lamps in the hall"],
    "lasting": ["## Garden\n- two lamps"],
    "long": ["- two lamps"],
    "ahead": ["- the lease started 2026-04-01"],
    "decision": [row("Host | Status", "atlas | up")],
    "gone_in": ["- the old pump was decommissioned"],
    "answer": ["- [x] What does the hall cost?", "- is it open? ask"],
    "open_heading": [
        "## Plans (pending)\n- [x] roof fixed",
        "## Plans (pending)\n- roof: waiting for tiles",
        "## Plans (pending)\n" + row("Job | State", "roof | done"),
        "## Plans\n- roof",
    ],
    "tick_label": ["- ✅ Roof: done", "- ✅ two doors", "- Hall: two doors"],
    "fresh": ["- lease still pending (2026-04-01)", "- lease still pending", "- lamp bought 2026-04-28"],
    "telling_row": [
        row("Host | Status | Place", "atlas | up | hall"),
        "## Status\n" + row("Host | Status | Place", "atlas | up | `/srv/atlas`"),
    ],
    "points": ["- Vault: ✅ done, kept in `/srv/vault`", "- ✅ kept in `/srv/vault`"],
    "wide_row": [
        row("Host | Status", "atlas | up"),
        row("Job | Task | Effort | Impact", "1 | roof | 2 h | dry"),
    ],
    "enumeration": ["- Status: running, all three lamps lit", "- Status: running"],
}


def test_every_sign_has_examples_both_ways() -> None:
    names = {sign.name for sign in SIGNS}
    assert names == CATCHES.keys() == SPARES.keys()
    assert len(names) == len(SIGNS)


@each_row(("name", "document"), [(name, text) for name, texts in CATCHES.items() for text in texts])
def test_every_sign_is_seen_in_its_examples(name: str, document: str) -> None:
    assert name in shown(document)


@each_row(("name", "document"), [(name, text) for name, texts in SPARES.items() for text in texts])
def test_no_sign_is_seen_in_its_look_alikes(name: str, document: str) -> None:
    assert name not in shown(document)


def decision(status: str, text: str = "Two presses in the hall") -> set[str]:
    block = f"DECISION: {text}\nDATE: 2026-01-04\nWHY: too slow\nSTATUS: {status}\n"
    (view,) = look(read_units(parse_markdown(block)), TODAY)
    return {sign.name for sign in DECISION_SIGNS if sign.test(view)}


@pytest.mark.parametrize(
    "status", ["Resolved", "Done", "closed.", "**Superseded** by the next", "erledigt", "已完成"]
)
def test_a_decision_is_settled_by_its_status(status: str) -> None:
    assert decision(status) == {"settled"}
    assert decision(status, "Try the small press until autumn") == {"settled", "passing"}


@pytest.mark.parametrize("status", ["Implemented", "Open", "Rejected", "done well so far", "active", ""])
def test_a_decision_that_holds_shows_no_sign(status: str) -> None:
    assert decision(status, "Try the small press until autumn") == set()


def test_shields_speak_for_an_item_and_give_no_reason() -> None:
    for sign in (*SIGNS, *DECISION_SIGNS):
        assert (sign.weight < 0) == (sign.reason == "")
