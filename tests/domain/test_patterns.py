import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.domain.outcomes import LEARNING, START, ids, told

from nightledger.domain.pattern import Pattern, PatternKind, Recorded
from nightledger.domain.patterns import find_patterns

FAILED_TWICE = ("10 - restart_gateway", "11 - restart_gateway")
RESOLVED = (*FAILED_TWICE, "12 + set_tz", "20 + set_tz", "28 + set_tz")


def find(records: list[Recorded]) -> list[Pattern]:
    """Find patterns some active days later, on which other things were done, each once."""
    newest = max((record.outcome.timestamp for record in records), default=START)
    first = (newest - START).days + 2
    later = [told(f"{day} + it", task=f"other_{day}")[0] for day in range(first, first + 3)]
    return list(find_patterns([*records, *later], LEARNING))


def only(records: list[Recorded]) -> Pattern:
    (pattern,) = find(records)
    return pattern


def kinds(records: list[Recorded]) -> list[PatternKind]:
    return [pattern.kind for pattern in find(records)]


def test_a_failure_that_recurs_and_is_resolved_gives_the_lesson_that_resolved_it() -> None:
    pattern = only(told(*RESOLVED))
    assert pattern.kind is PatternKind.RESOLVED_FAILURE
    assert pattern.sentence == (
        "debug_cron with cron + timezone: set_tz resolved it (3 of 3, 2026-02-12 to 2026-02-28); "
        "restart_gateway failed 2 times."
    )
    assert (pattern.task_type, pattern.tags, pattern.resolution) == (
        "debug_cron",
        ("cron", "timezone"),
        "set_tz",
    )
    assert (pattern.tally.successes, pattern.tally.failures) == (3, 0)
    assert [(rival.resolution, rival.failures) for rival in pattern.rivals] == [("restart_gateway", 2)]
    assert pattern.sources == len(pattern.days) == 5
    assert (pattern.days[0].day, pattern.days[-1].day) == (10, 28)
    assert pattern.confidence == 0.85
    assert pattern.is_lesson


def test_two_days_of_success_resolve_a_failure_seen_once() -> None:
    pattern = only(told("10 - reboot", "11 + set_tz", "12 + set_tz"))
    assert pattern.kind is PatternKind.RESOLVED_FAILURE
    assert pattern.sentence.endswith(
        "set_tz resolved it (2 of 2, 2026-02-11 to 2026-02-12); reboot failed once."
    )


def test_one_failure_of_what_works_otherwise_is_an_accident() -> None:
    lines = ("10 - reboot", "11 + set_tz", "12 + set_tz")
    assert kinds(told(*lines)) == [PatternKind.RESOLVED_FAILURE]
    assert kinds(told(*lines) + told("3 + reboot", tags="cron disk")) == []
    twice = told(*lines, "10.4 - reboot") + told("3 + reboot", tags="cron disk")
    assert kinds(twice) == [PatternKind.RESOLVED_FAILURE]


def test_one_success_resolves_a_failure_that_recurred_and_was_seen_no_more() -> None:
    pattern = only(told(*FAILED_TWICE, "12 + set_tz"))
    assert pattern.kind is PatternKind.RESOLVED_FAILURE
    assert "set_tz resolved it (1 of 1, 2026-02-12)" in pattern.sentence
    assert pattern.confidence < 0.5


def test_a_single_success_settles_after_three_active_days_whatever_was_done_on_them() -> None:
    records = told(*FAILED_TWICE, "12 + set_tz")
    busy = [told(f"{day} ~ it", task=f"other_{day}")[0] for day in (13, 14, 20)]
    assert find_patterns(records + busy[:2], LEARNING) == ()
    assert find_patterns(records + busy, LEARNING)[0].kind is PatternKind.RESOLVED_FAILURE


def test_a_failure_counts_as_open_three_active_days_after_it_was_first_seen() -> None:
    daily = ("10 - a", "11 - b", "12 - c", "13 - d")
    assert find_patterns(told(*daily[:3]), LEARNING) == ()
    assert find_patterns(told(*daily), LEARNING)[0].kind is PatternKind.RECURRING_FAILURE


def test_one_success_after_which_the_failure_came_again_resolved_nothing() -> None:
    assert PatternKind.RESOLVED_FAILURE not in kinds(
        told(*FAILED_TWICE, "12 + set_tz", "13 - restart_gateway")
    )


def test_success_is_never_inferred_from_silence() -> None:
    pattern = only(told(*FAILED_TWICE))
    assert pattern.kind is PatternKind.RECURRING_FAILURE
    assert pattern.sentence == (
        "debug_cron with cron + timezone: failed 2 times (2026-02-10 to 2026-02-11), still open; "
        "restart_gateway failed 2 times."
    )


def test_one_day_without_sessions_is_no_pattern() -> None:
    assert find(told("10.1 - reboot", "10.2 - reboot", "10.3 + set_tz", "10.4 + set_tz")) == []


def test_what_followed_our_own_showing_confirms_nothing() -> None:
    taught = told("12 + set_tz", "13 + set_tz", "14 + set_tz", shown=("cron + timezone",))
    assert find(taught) == []
    assert kinds(taught + told("10 + set_tz")) == [PatternKind.RECURRING_RESOLUTION]


def test_the_order_of_the_lines_does_not_matter() -> None:
    records = told(*RESOLVED, "29 - other", "30 - other")
    shuffled = sorted(records, key=lambda record: record.sha256)
    assert find(shuffled) == find(records)


def test_what_works_three_times_without_a_failure_is_a_recurring_resolution() -> None:
    pattern = only(told("10 + reload", "12 + reload", "14 + reload"))
    assert pattern.kind is PatternKind.RECURRING_RESOLUTION
    assert (
        pattern.sentence
        == "debug_cron with cron + timezone: reload works (3 of 3, 2026-02-10 to 2026-02-14)."
    )


def test_what_works_is_worth_remembering_only_where_something_else_keeps_failing() -> None:
    routine = ("10 + reload", "12 + reload", "14 + reload")
    assert not only(told(*routine)).is_lesson
    assert not only(told(*routine, "13 - restart")).is_lesson
    assert only(told(*routine, "13 - restart", "13.5 - restart")).is_lesson
    worked = ("13.6 + restart", "15 + restart", "16 + restart")
    assert find(told(*routine, "13 - restart", "13.5 - restart", *worked)) == []


def test_what_fails_as_often_as_it_works_is_no_lesson() -> None:
    lines = ("10 - reboot", "11 + set_tz", "12 - set_tz", "13 + set_tz", "14 - set_tz")
    assert PatternKind.RESOLVED_FAILURE not in kinds(told(*lines))


def test_where_everything_works_a_success_after_a_failure_teaches_nothing() -> None:
    lines = ("1 + a", "2 + b", "3 - c", "4 + d", "5 + d", "6 + a", "7 + b")
    assert kinds(told(*lines)) == []
    assert kinds(told(*lines[:3], "8 - c", "9 + e", "4 + b", "5 + a")) == []


def test_what_works_less_often_than_its_rivals_together_is_not_the_usual_way() -> None:
    assert kinds(told("1 + a", "2 + a", "3 + a", "4 + b", "5 + c")) == [PatternKind.RECURRING_RESOLUTION]
    assert kinds(told("1 + a", "2 + a", "3 + a", "4 + b", "5 + c", "6 + d")) == []


def test_failures_with_nothing_named_are_counted_before_what_resolved_them() -> None:
    pattern = only(told("10 - none", "11 - unresolved", "12 + set_tz", "13 + set_tz"))
    assert pattern.sentence.endswith(
        "set_tz resolved it (2 of 2, 2026-02-12 to 2026-02-13); it failed 2 times with nothing named as tried."
    )


# ---------------------------------------------------------------- a lesson that was wrong


def test_a_failure_after_the_lesson_was_learned_says_the_lesson_was_wrong() -> None:
    pattern = only(told(*RESOLVED, "30 - set_tz"))
    assert pattern.kind is PatternKind.RELAPSE
    assert pattern.sentence == (
        "debug_cron with cron + timezone: set_tz resolved it 3 times (2026-02-12 to 2026-02-28), "
        "then it failed once (2026-03-02); do not rely on it."
    )
    assert pattern.records[0].line == 300
    assert pattern.key != only(told(*RESOLVED)).key
    assert only(told(*RESOLVED)).key in pattern.replaces


def test_a_wrong_lesson_comes_before_everything_else() -> None:
    records = told(*RESOLVED, "30 - set_tz") + told("10 - a", "11 + b", "12 + b", "13 + b", task="deploy")
    assert kinds(records) == [PatternKind.RELAPSE, PatternKind.RESOLVED_FAILURE]


def test_a_lesson_learned_anew_after_it_failed_is_a_lesson_again() -> None:
    failed = told(*FAILED_TWICE, "12 + set_tz", "13 + set_tz", "14 - set_tz")
    assert kinds(failed + told("15.1 + set_tz", "15.2 + set_tz")) == [PatternKind.RELAPSE]
    assert kinds(failed + told("15 + set_tz", "16 + set_tz")) == [PatternKind.RESOLVED_FAILURE]


def test_one_exception_to_what_stays_trusted_is_no_relapse_and_is_said() -> None:
    pattern = only(told("1 - reboot", *(f"{day} + set_tz" for day in range(2, 12)), "12 - set_tz docker"))
    assert pattern.kind is PatternKind.RESOLVED_FAILURE
    assert "set_tz resolved it (10 of 11, 2026-02-02 to 2026-02-11)" in pattern.sentence
    assert pattern.scope.fails_when == "set_tz failed once with cron + docker + timezone"


def test_what_was_never_a_lesson_does_not_relapse() -> None:
    lines = ("1 + reload", "2 + reload", "3 - reload", "4 - reload", "5 ~ reload")
    assert PatternKind.RELAPSE not in kinds(told(*lines))


def test_routine_that_fails_once_is_no_lesson_that_was_wrong() -> None:
    lines = ("1 + reload", "2 + reload", "3 + reload", "4 - reload")
    assert kinds(told(*lines)) == []
    assert kinds(told("0.5 - restart", *lines)) == [PatternKind.RELAPSE]


def test_failures_that_come_again_with_nothing_tried_are_a_relapse_from_the_second_source_on() -> None:
    assert kinds(told(*RESOLVED, "30 - none")) == [PatternKind.RESOLVED_FAILURE]
    assert kinds(told(*RESOLVED, "30.1 - none", "30.2 - none")) == [PatternKind.RESOLVED_FAILURE]
    assert kinds(told(*RESOLVED, "30 - none", "31 - none")) == [PatternKind.RELAPSE]


def test_a_failure_that_the_lesson_resolved_once_more_is_no_relapse() -> None:
    assert kinds(told(*RESOLVED, "30 - none", "31 - none", "32 + set_tz")) == [PatternKind.RESOLVED_FAILURE]


def test_what_took_the_place_of_a_wrong_lesson_replaces_it() -> None:
    lines = (*RESOLVED, "30 - set_tz", "31 - set_tz", "32 + pin_zone", "33 + pin_zone", "34 + pin_zone")
    relapse, lesson = find(told(*lines))
    assert (relapse.kind, lesson.kind) == (PatternKind.RELAPSE, PatternKind.RESOLVED_FAILURE)
    assert (
        "pin_zone resolved it (3 of 3, 2026-03-04 to 2026-03-06); set_tz failed 2 times and worked 3 times"
        in (lesson.sentence)
    )
    assert only(told(*RESOLVED)).key in lesson.replaces


# ---------------------------------------------------------------- situations


def test_a_lesson_holds_where_the_tags_of_its_successes_are() -> None:
    records = told(*RESOLVED) + told("15 - quote_path", "16 - quote_path", tags="cron path")
    lesson, failure = find(records)
    assert (lesson.tags, lesson.tally.failures) == (("cron", "timezone"), 0)
    assert failure.kind is PatternKind.RECURRING_FAILURE
    assert failure.tags == ("cron", "path")
    assert "restart_gateway" not in failure.sentence


def test_two_situations_of_one_task_type_give_two_lessons() -> None:
    records = told(*RESOLVED) + told("3 - guess", "4 + full_path", "5 + full_path", tags="cron path")
    assert {(pattern.tags, pattern.resolution) for pattern in find(records)} == {
        (("cron", "timezone"), "set_tz"),
        (("cron", "path"), "full_path"),
    }


def test_of_two_lessons_about_one_situation_the_better_stays() -> None:
    pattern = only(told(*RESOLVED, "13 + reinstall", "14 + reinstall"))
    assert pattern.resolution == "set_tz"
    assert pattern.sentence.endswith("restart_gateway failed 2 times, reinstall worked 2 times.")
    assert only(told(*FAILED_TWICE, "13 + reinstall", "14 + reinstall")).key in pattern.replaces


def test_a_sentence_names_at_most_three_tags_the_telling_ones() -> None:
    records = told(*(f"{day} + reload" for day in (1, 2, 3)), tags="always alpha beta gamma")
    records += told("4 ~ other", tags="always", task="debug_cron")
    assert only(records).tags == ("alpha", "beta", "gamma")


def test_failures_are_parted_by_the_tags_that_tell_them_apart() -> None:
    records = told("1 - a", "2 - b", tags="cron timezone") + told("3 - c", "4 - d", tags="cron path")
    assert {pattern.tags for pattern in find(records)} == {("cron", "path"), ("cron", "timezone")}


def test_a_failure_that_something_without_a_name_ended_is_not_reported_as_open() -> None:
    assert kinds(told(*FAILED_TWICE, "12 + none")) == []
    assert kinds(told(*FAILED_TWICE, "10.5 + none")) == [PatternKind.RECURRING_FAILURE]


# ---------------------------------------------------------------- what would change its mind


def test_a_lesson_says_what_would_speak_against_it() -> None:
    assert only(told(*RESOLVED)).scope.fails_when == (
        "not seen; a failure of set_tz in debug_cron with cron + timezone would speak against it"
    )


def test_a_lesson_says_where_it_failed_and_where_another_worked() -> None:
    elsewhere = told("15 - set_tz", "16 + restart_gateway", "17 + restart_gateway", tags="systemd")
    lesson = next(p for p in find(told(*RESOLVED) + elsewhere) if p.resolution == "set_tz")
    assert lesson.scope.fails_when == "set_tz failed once with systemd"
    assert lesson.scope.fine_when == "restart_gateway worked 2 times with systemd"


# ---------------------------------------------------------------- wording and provenance


@pytest.mark.parametrize("tag", ["<b>", "[x](y)", "`code`", "*bold*", "_lead"])
def test_a_tag_that_holds_markup_is_not_part_of_a_sentence(tag: str) -> None:
    assert only(told(*RESOLVED, tags=f"cron {tag}")).tags == ("cron",)


def test_looking_at_some_task_types_finds_the_same_about_them() -> None:
    records = told(*RESOLVED) + told(*FAILED_TWICE, "12 + other", "13 + other", task="fix_mail")
    everything = find_patterns(records, LEARNING)
    assert len(everything) == 2
    for pattern in everything:
        assert find_patterns(records, LEARNING, task_types={pattern.task_type}) == (pattern,)
    assert find_patterns(records, LEARNING, task_types=()) == ()


# ---------------------------------------------------------------- properties


def _lines() -> st.SearchStrategy[list[str]]:
    line = st.builds(
        lambda day, sign, name, tag: f"{day} {sign} {name} {tag}",
        st.integers(1, 27),
        st.sampled_from("+-~"),
        st.sampled_from(["a", "b", "c", "none"]),
        st.sampled_from(["x", "y", "z"]),
    )
    return st.lists(line, max_size=25)


@given(lines=_lines())
def test_every_number_of_a_pattern_can_be_counted_again(lines: list[str]) -> None:
    records = told(*dict.fromkeys(lines), tags="cron")
    for pattern in find(records):
        here = [r.outcome for r in records if set(pattern.tags) <= set(r.outcome.context_tags)]
        assert set(ids(pattern.records)) == {outcome.id for outcome in here}
        if pattern.resolution:
            ours = [outcome.outcome.value for outcome in here if outcome.resolution == pattern.resolution]
            assert ours.count("success") == pattern.tally.successes
            assert ours.count("failure") == pattern.tally.failures
        else:
            assert pattern.tally.tries == len(here)


@given(lines=_lines())
def test_a_pattern_has_two_sources_a_unique_key_and_a_place_in_the_order(lines: list[str]) -> None:
    patterns = find(told(*lines, tags="cron"))
    assert all(pattern.sources >= 2 for pattern in patterns)
    assert len({pattern.key for pattern in patterns}) == len(patterns)
    assert [pattern.rank for pattern in patterns] == sorted((p.rank for p in patterns), reverse=True)
    assert all(0 <= pattern.confidence <= 1 for pattern in patterns)
