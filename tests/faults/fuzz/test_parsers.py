"""Every parser on inputs near those that it takes; ``make fuzz`` searches further, guided by what they cover."""

import zlib
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.faults.fuzz.table import LISTS, TARGETS
from tests.faults.fuzz.target import PlantedError, Target, TooSlowError, try_one, with_escape
from tests.faults.sweep_report import report, sampled, whole
from tests.rows import each_row

SWEEP = "fuzzing by hypothesis"
EXAMPLES = 2_000 if whole() else 12
PLANTED_EXAMPLES = 1_000
DEAR = b"DTSTART:20200101T120000Z\nRRULE:FREQ=HOURLY"
"""What takes a calendar seconds: 'make test' leaves it out (``tests/text/test_calendar.py`` has rules of each kind)."""
Edit = tuple[str, float, float, bytes]
_ODD = (
    b"\0", b"\n", b"\r\n", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\ud800", b'"', b"{", b"}", b"[", b"]", b":", b",",
    b"=", b"+", b"-", b"0", b"1e999", b"9007199254740993", b"9" * 400, b"null", b"true", b"NaN", b"#", b"# a\n", b"- ",
    b"```\n", b"---\n", b"===\n", b"<!--", b"-->", b"|", b"\t", b" ", b"\xe2\x80\x8b", b"\xe2\x80\xae", b"\xf3\xa0\x81\x81",
)  # fmt: skip
_DIGITS, _LOWER, _UPPER = b"0123456789", b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LIKE = bytes.maketrans(
    _DIGITS + _LOWER + _UPPER, b"".join(kind[1:] + kind[:1] for kind in (_DIGITS, _LOWER, _UPPER))
)
"""One digit for another, one letter for another of its case: what is left is often of the same form."""
_EDITS = st.tuples(
    st.sampled_from(("like", "like", "like", "cut", "put", "overwrite", "double", "swap")),
    st.floats(0, 1),
    st.floats(0, 0.2),
    st.sampled_from(_ODD) | st.binary(min_size=1, max_size=6),
)


def mutants(seeds: Sequence[bytes], max_bytes: int) -> st.SearchStrategy[bytes]:
    """Return inputs for a parser whose accepted inputs are like ``seeds``."""
    kept = [seed for seed in seeds if len(seed) <= max_bytes] or [b""]
    near = st.builds(_edited, st.sampled_from(kept), st.lists(_EDITS, max_size=4))
    return (near | near | near | st.binary(max_size=64)).map(lambda raw: raw[:max_bytes])


def _edited(raw: bytes, edits: list[Edit]) -> bytes:
    for kind, at, share, new in edits:
        start = round(at * len(raw))
        end = min(len(raw), start + max(1, round(share * len(raw))))
        raw = {
            "like": raw[:start] + raw[start : start + 1].translate(_LIKE) + raw[start + 1 :],
            "cut": raw[:start] + raw[end:],
            "put": raw[:start] + new + raw[start:],
            "overwrite": raw[:start] + new + raw[start + len(new) :],
            "double": raw[:end] + raw[start:end] + raw[end:],
            "swap": raw[end:] + raw[start:end] + raw[:start],
        }[kind]
    return raw


def tried(name: str) -> Target:
    """Return a parser with its seeds; in 'make test' without those that take seconds."""
    target = TARGETS[name]
    return replace(target, seeds=[seed for seed in target.inputs() if whole() or DEAR not in seed])


def hunt(target: Target, examples: int, *, shrink: bool = True) -> int:
    """Run a target on so many inputs; return how many ran. What escapes is raised."""
    ran = 0
    phases = (Phase.explicit, Phase.generate, Phase.shrink) if shrink else (Phase.generate,)

    @settings(max_examples=examples, phases=phases, suppress_health_check=list(HealthCheck))
    @given(mutants(target.inputs(), target.max_bytes))
    def run(raw: bytes) -> None:
        nonlocal ran
        ran += 1
        try_one(target, raw)

    run()
    return ran


def test_no_two_parsers_have_one_name() -> None:
    assert sum(len(module.TARGETS) for module in LISTS) == len(TARGETS)


@each_row("name", TARGETS)
def test_a_parser_takes_its_seeds(name: str) -> None:
    seeds = sampled(tried(name).inputs(), 4 if TARGETS[name].cost > 1 else 1)
    accepted = [seed for seed in seeds if try_one(TARGETS[name], seed)]
    assert accepted


@each_row("name", TARGETS)
def test_only_documented_errors_escape_and_what_is_taken_is_as_it_must_be(name: str) -> None:
    ran = hunt(tried(name), max(1, EXAMPLES // TARGETS[name].cost))
    report(SWEEP, name, points=ran)


@each_row("name", list(sampled(TARGETS, 6)))
def test_an_error_that_is_planted_is_found(name: str) -> None:
    with pytest.raises(PlantedError):
        hunt(with_escape(tried(name), lambda raw: zlib.crc32(raw) % 4 == 3), PLANTED_EXAMPLES, shrink=False)
    report(SWEEP, f"{name} escape", points=0, controls=1, caught=1)


def test_an_input_that_takes_too_long_is_found() -> None:
    slow = Target("slow", lambda _: sum(range(1_000_000)), lambda *_: None, [], max_cpu_s=0.0001)
    with pytest.raises(TooSlowError, match="s for 1 bytes"):
        try_one(slow, b"1")
