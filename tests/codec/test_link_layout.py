import pytest

from nightledger.codec import link_layout as layout


def segment(lengths: list[int]) -> bytes:
    header, gaps = layout.dump_header(lengths)
    return header + b"".join(bytes(length + gap) for length, gap in zip(lengths, gaps, strict=False))


def test_tables_stand_one_after_the_other_each_at_an_even_place() -> None:
    raw = segment([56, 3, 4, 9])
    spans = layout.parse_header(raw, len(raw))
    assert spans[:8] == [512, 56, 568, 3, 576, 4, 584, 9]
    assert layout.HEADER_BYTES == 512
    assert spans[8:] == [600, 0] * (layout.TABLES - 4)


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda raw: raw[:100], "no segment of this version"),
        (lambda raw: b"X" + raw[1:], "no segment of this version"),
        (lambda raw: raw[:24] + raw[24:32][::-1] + raw[32:], "another byte order"),
        (lambda raw: raw[:40] + (1 << 40).to_bytes(8, "little") + raw[48:], "outside of itself"),
        (lambda raw: raw[:32] + (3).to_bytes(8, "little") + raw[40:], "outside of itself"),
        (lambda raw: raw[:-8], "outside of itself"),
        (lambda raw: raw[:40] + (55).to_bytes(8, "little") + raw[48:], "half a number"),
    ],
)
def test_what_is_no_segment_is_named(damage: object, problem: str) -> None:
    raw = damage(segment([56, 3, 4, 9] + [0] * 23 + [8, 8]))  # type: ignore[operator]
    with pytest.raises(ValueError, match=problem):
        layout.parse_header(raw, len(raw))


def test_the_key_of_an_id_is_its_first_30_bits() -> None:
    ids = b"o-" + b"a" * 26 + b"o-777777" + b"a" * 20 + b"o-aaaaab" + b"7" * 20
    assert layout.id_keys(ids) == [0, 2**30 - 1, 1]
    assert layout.id_keys(b"") == []


def test_every_table_has_a_place_of_its_own() -> None:
    assert [*layout.RECORD_TABLES, *layout.SORTED_TABLES] == list(range(layout.TABLES))
