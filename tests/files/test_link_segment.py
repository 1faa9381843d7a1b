import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.linking import BERLIN, lines, outcome, outcome_id
from tests.whole import examples

from nightledger.codec import link_bulk, link_layout
from nightledger.codec.link_cells import Part
from nightledger.codec.link_columns import Columns
from nightledger.codec.link_rows import RowReader
from nightledger.codec.link_tables import (
    Before,
    Extent,
    IrregularError,
    dump_segment,
    record_tables,
    renumber,
)
from nightledger.domain.errors import LinkIndexError
from nightledger.files.link_segment import Guard, Segment, SegmentError

TAGS = ("backup", "cron", "disk", "mail", "time_zone", "übung")


def tables_of(records: Sequence[dict[str, Any]], before: Before | None = None, start: int = 0) -> list[Any]:
    columns = Columns(BERLIN)
    columns.add(RowReader().read(lines(records))[0])
    return record_tables(columns, Extent(start=start, end=99), before or Before())


def write(path: Path, tables: Sequence[Any]) -> Segment:
    path.write_bytes(b"".join(bytes(memoryview(piece)) for piece in dump_segment(tables)))
    return Segment(str(path))


def plain(part: Part | None) -> Any:
    if part is None:
        return None
    tallies = sorted([*cells[:7], *cells[7:][-5:]] for cells in part.tallies)
    return (part.first, part.second, part.sessions, part.resolutions, part.last_day, tallies)


records = st.lists(
    st.builds(
        lambda number, **fields: (number, fields),
        st.integers(0, 10**9),
        tags=st.lists(st.sampled_from(TAGS), min_size=1, max_size=5),
        outcome=st.sampled_from(["success", "partial", "failure"]),
        resolution=st.sampled_from([f"r{n}" for n in range(7)]),
        session=st.sampled_from([None, "a", "b", "c", "d"]),
        timestamp=st.sampled_from([f"2026-01-{day:02}T12:00:00Z" for day in range(1, 20)]),
        shown=st.sampled_from([None, ["r0", "r1"]]),
    ),
    min_size=1,
    max_size=40,
    unique_by=lambda item: item[0],
).map(lambda items: [outcome(number, **fields) for number, fields in items])
pairs = st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS)).filter(lambda pair: pair[0] < pair[1])
befores = st.builds(
    Before,
    counted=st.dictionaries(st.integers(0, 1), st.frozensets(pairs, max_size=6), max_size=2),
    forgotten=st.dictionaries(pairs, st.integers(0, 20), max_size=2),
)


@given(records=records, before=befores, start=st.sampled_from([0, 7]), light=st.sampled_from([1, 3, 128]))
@examples(150)
def test_the_sorted_tables_say_what_looking_through_the_records_says(
    tmp_path: Path, records: list[dict[str, Any]], before: Before, start: int, light: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link_layout, "LIGHT_RECORDS", light)
        patch.setattr(link_bulk, "STRETCH", 5)
        columns = Columns(BERLIN)
        columns.add(RowReader().read(lines(records))[0])
        known = {
            session: pairs
            for session, pairs in before.counted.items()
            if session < len(columns.session_hashes())
        }
        before = Before(counted=known, forgotten=before.forgotten)
        tables = tables_of(records, before, start)
        through = write(tmp_path / "through.links", tables)
        folded = write(tmp_path / "sorted.links", [*tables, *link_bulk.sorted_tables(tables)])
        assert (through.folded, folded.folded) == (False, True)
        expected = {part[:2]: part for part in map(plain, through.links())}
        assert {part[:2]: part for part in map(plain, folded.links())} == expected
        assert len(expected) == folded.rows
        for tag in TAGS:
            mine = {part[:2]: part for part in map(plain, folded.links_of(tag))}
            assert mine == {part[:2]: part for part in map(plain, through.links_of(tag))}
            assert mine == {pair: part for pair, part in expected.items() if tag in pair}
        for first, second in ((a, b) for a in TAGS for b in TAGS if a < b):
            assert plain(folded.link(first, second)) == plain(through.link(first, second))
            assert plain(folded.link(first, second)) == expected.get((first, second))
        hashes = {*columns.session_hashes(), 1, 2**64 - 1}
        assert folded.find_sessions(hashes) == through.find_sessions(hashes) == hashes - {1, 2**64 - 1}
        for key in columns.session_hashes():
            assert folded.pairs_of_session(key) == through.pairs_of_session(key)
        assert_strong(folded, start)


def assert_strong(folded: Segment, start: int) -> None:
    for tag in TAGS:
        named = [(folded.tag(other), rest) for other, *rest in folded.strong(tag)]
        strong = {(min(tag, other), max(tag, other)): rest for other, rest in named}
        expected = {}
        for part in folded.links_of(tag) if start == 0 else ():
            best = max(c[1] - c[4] - 2 * (c[3] - c[5]) + min(1, c[4] - 2 * c[5]) for c in part.tallies)
            if best >= 3:
                expected[part.first, part.second] = [
                    folded.find_row(part.first, part.second),
                    best,
                    part.last_day,
                ]
        assert strong == expected


@given(records=records)
def test_the_best_resolutions_of_a_heavy_row_come_first(
    tmp_path: Path, records: list[dict[str, Any]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link_layout, "LIGHT_RECORDS", 0)
        tables = tables_of(records)
        segment = write(tmp_path / "a.links", [*tables, *link_bulk.sorted_tables(tables)])
        for row in range(segment.rows):
            every = segment.row(row).tallies
            ranked = sorted(
                every,
                key=lambda c: (
                    -(c[1] - c[4] - 2 * (c[3] - c[5]) + min(1, c[4] - 2 * c[5])),
                    -c[1],
                    c[3],
                    -c[6],
                    c[0],
                ),
            )
            assert every == ranked
            assert segment.row(row, 2).tallies == ranked[:2]
            assert segment.row(row, 2).resolutions == len(ranked)
            assert segment.row(row, 2).last_day == max(cells[6] for cells in ranked)


@given(records=records, limit=st.integers(1, 20))
def test_the_top_rows_have_the_most_sessions(
    tmp_path: Path, records: list[dict[str, Any]], limit: int
) -> None:
    tables = tables_of(records)
    segment = write(tmp_path / "a.links", [*tables, *link_bulk.sorted_tables(tables)])
    every = [(segment.sessions(row), row) for row in range(segment.rows)]
    assert segment.top_rows(limit) == sorted(every, key=lambda item: (-item[0], item[1]))[:limit]


def test_more_tags_than_short_numbers_can_count_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = tables_of([outcome(n, TAGS[n % 4 :]) for n in range(12)])
    short = link_bulk.sorted_tables(tables)
    monkeypatch.setattr(link_bulk, "DIGIT_BITS", 1)
    assert [bytes(table) for table in link_bulk.sorted_tables(tables)] == [bytes(table) for table in short]


def test_an_id_that_stands_twice_is_noticed_even_between_others_of_its_key() -> None:
    alike = ["o-aaaaaa" + "b" * 20, "o-aaaaaa" + "c" * 20]
    made = [{**outcome(n), "id": alike[n % 2]} for n in range(2)]
    assert link_bulk.sorted_tables(tables_of(made))
    with pytest.raises(IrregularError, match="twice"):
        link_bulk.sorted_tables(tables_of([*made, made[0]]))


def test_tags_out_of_order_are_noticed() -> None:
    made = [outcome(1), {**outcome(2), "context_tags": ["time_zone", "cron"]}, outcome(3)]
    with pytest.raises(IrregularError, match="out of order"):
        link_bulk.sorted_tables(tables_of(made))


def test_both_ways_of_numbering_anew_agree() -> None:
    columns = Columns(BERLIN)
    columns.add(RowReader().read(lines(outcome(n, TAGS[n:]) for n in range(5)))[0])
    places = [5, 4, 3, 2, 1, 0]
    assert link_bulk.renumber(columns.tag_codes, places) == renumber(columns.tag_codes, places).tobytes()


def keyed(ids: set[bytes]) -> dict[bytes, int]:
    return {known: link_layout.id_keys(known)[0] for known in ids}


def test_ids_are_found_in_a_sorted_segment(tmp_path: Path) -> None:
    tables = tables_of([outcome(n) for n in range(50)])
    segment = write(tmp_path / "a.links", [*tables, *link_bulk.sorted_tables(tables)])
    known = {outcome_id(n).encode() for n in range(40, 60)}
    assert segment.find_known(keyed(known)) == {outcome_id(n).encode() for n in range(40, 50)}
    shares_a_key = (outcome_id(1)[:8] + "a" * 20).encode()
    assert segment.find_known(keyed({shares_a_key})) == set()
    assert segment.outcome_id(7) == outcome_id(7)


def test_unknown_tags_and_sessions_are_nothing(tmp_path: Path) -> None:
    segment = write(tmp_path / "a.links", tables_of([outcome(1)]))
    assert segment.link("cron", "zfs") is None
    assert list(segment.links_of("zfs")) == []
    assert list(segment.strong("zfs")) == []
    assert segment.find_tag("zfs") == segment.find_row("a", "b") == -1
    assert segment.pairs_of_session(12345) == frozenset()


def test_a_number_is_not_found_across_the_border_of_two_others(tmp_path: Path) -> None:
    made = [outcome(n, [f"t{n:03}", f"t{n + 1:03}"]) for n in range(300)]
    segment = write(tmp_path / "a.links", tables_of(made))
    for n in range(1, 300):
        found = {(part.first, part.second) for part in segment.links_of(f"t{n:03}")}
        assert found == {(f"t{n - 1:03}", f"t{n:03}"), (f"t{n:03}", f"t{n + 1:03}")}


@pytest.mark.parametrize("size", [0, 10, link_layout.HEADER_BYTES, 600])
def test_what_is_cut_is_no_segment(tmp_path: Path, size: int) -> None:
    write(tmp_path / "a.links", tables_of([outcome(1)]))
    os.truncate(tmp_path / "a.links", size)
    with pytest.raises(SegmentError, match=r"a\.links"):
        Segment(str(tmp_path / "a.links"))


def test_a_missing_segment_or_a_link_to_one_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.links", tables_of([outcome(1)]))
    (tmp_path / "b.links").symlink_to(tmp_path / "a.links")
    for name in ("b.links", "c.links"):
        with pytest.raises(SegmentError):
            Segment(str(tmp_path / name))


@given(st.data())
@examples(100)
def test_damage_ends_in_an_error_or_in_an_answer_never_in_a_crash(
    tmp_path: Path, data: st.DataObject
) -> None:
    tables = tables_of([outcome(n, TAGS[n % 4 :]) for n in range(12)])
    if data.draw(st.booleans()):
        tables = [*tables, *link_bulk.sorted_tables(tables)]
    path = tmp_path / "a.links"
    write(path, tables)
    raw = bytearray(path.read_bytes())
    for at in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=20)):
        raw[at] = data.draw(st.integers(0, 255))
    path.write_bytes(raw)
    problem = ""
    try:
        with Guard("here"):
            segment = Segment(str(path))
            list(segment.links())
            for tag in TAGS:
                list(segment.links_of(tag))
                list(segment.strong(tag))
            segment.pairs_of_session(1)
    except LinkIndexError as error:
        problem = str(error)
    assert problem.startswith("the link index in here is damaged") or not problem
