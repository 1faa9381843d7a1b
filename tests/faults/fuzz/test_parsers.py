"""Every parser on hypothesis's inputs; ``make fuzz`` searches further, guided by what they cover."""

import dataclasses

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from tests.faults.fuzz import planted
from tests.faults.fuzz.mutants import mutants
from tests.faults.fuzz.table import LISTS, TARGETS
from tests.faults.fuzz.target import Target, TooSlowError, try_one
from tests.faults.sweep_report import report, sampled, whole
from tests.rows import each_row

SWEEP = "fuzzing by hypothesis"
EXAMPLES = 2_000 if whole() else 12
PLANTED_EXAMPLES = 1_000


def hunt(target: Target, examples: int, *, shrink: bool = True) -> int:
    """Run a target on so many inputs; give how many ran. What escapes is raised."""
    ran = 0
    phases = (Phase.explicit, Phase.generate, Phase.shrink) if shrink else (Phase.generate,)

    @settings(max_examples=examples, phases=phases, suppress_health_check=list(HealthCheck))
    @given(mutants(target.seeds(), target.max_bytes))
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
    seeds = sampled(TARGETS[name].seeds(), 4 if TARGETS[name].cost > 1 else 1)
    accepted = [seed for seed in seeds if try_one(TARGETS[name], seed)]
    assert accepted


@each_row("name", TARGETS)
def test_only_documented_errors_escape_and_what_is_taken_is_as_it_must_be(name: str) -> None:
    ran = hunt(TARGETS[name], max(1, EXAMPLES // TARGETS[name].cost))
    report(SWEEP, name, points=ran)


@each_row("name", list(sampled(TARGETS, 6)))
def test_an_error_that_is_planted_is_found(name: str) -> None:
    with pytest.raises(planted.PlantedError):
        hunt(planted.with_escape(TARGETS[name], planted.often), PLANTED_EXAMPLES, shrink=False)
    report(SWEEP, f"{name} escape", points=0, controls=1, caught=1)


@each_row("name", list(sampled(TARGETS, 7)))
def test_a_wrong_value_that_is_planted_is_found(name: str) -> None:
    target = TARGETS[name]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever the check of this target raises
        hunt(planted.with_damage(target, planted.always), PLANTED_EXAMPLES, shrink=False)
    assert not isinstance(caught.value, TooSlowError)
    report(SWEEP, f"{name} damage", points=0, controls=1, caught=1)


def test_an_input_that_takes_too_long_is_found() -> None:
    slow = planted.slowed(TARGETS["json"], cpu_s=0.02)
    assert try_one(slow, b"1")
    with pytest.raises(TooSlowError, match="s for 1 bytes"):
        try_one(dataclasses.replace(slow, max_cpu_s=0.01), b"1")


def test_a_pause_of_the_machine_is_no_finding() -> None:
    left = [0.05]
    target = TARGETS["json"]
    once = planted.slowed(target, cpu_s=0)

    def read(raw: bytes) -> object:
        return planted.slowed(target, cpu_s=left.pop() if left else 0).read(raw)

    assert try_one(dataclasses.replace(once, read=read, max_cpu_s=0.02), b"1")
