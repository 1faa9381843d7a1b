from datetime import date

from tests.rows import from_corpus
from tests.text.logs import DAY, read

from nightledger.domain.consolidation import LogLine, Region
from nightledger.domain.proposal import Origin
from nightledger.text.statements.daylog import find_regions


def line(text: str, number: int) -> LogLine:
    return read(text).lines[number - 1]


def test_marker_box_tick_time_and_indent_are_told_from_the_content() -> None:
    assert line("- [x] the kettle leaks", 1).content == "the kettle leaks"
    assert line("  2. boil water", 1).marker == "1"
    assert line("\t- boil water", 1).indent == 4
    assert line("- [14:05] the kettle leaks", 1).content == "the kettle leaks"
    assert line("- 2026-03-09 14:05 Europe/Paris: the kettle leaks", 1).content == "the kettle leaks"
    assert line("- 14:05\u201315:00 CEST: the kettle leaks", 1).content == "the kettle leaks"
    assert line("- 14:05 DO NOT boil it dry", 1).content == "DO NOT boil it dry"
    assert line("| tea | green |", 1).marker == "|"
    assert line("- 3 kettles leak", 1).content == "3 kettles leak"
    assert line(f"- 3 kettles{' ' * 100_000}leak", 1).content == "3 kettles leak"


def test_a_line_knows_the_headings_above_it() -> None:
    text = "# Day\n## Kitchen\n### Kettle\n- a\n## Garden\n- b"
    assert line(text, 4).headings == ("Day", "Kitchen", "Kettle")
    assert line(text, 6).headings == ("Day", "Garden")


def test_a_dated_heading_gives_the_day_of_what_follows_and_an_impossible_date_does_not() -> None:
    text = "- a\n## 2026-03-07 late\n- b\n## 2026-13-45\n- c"
    assert line(text, 1).day == DAY
    assert line(text, 3).day == date(2026, 3, 7)
    assert line(text, 5).day == DAY  # a day is that of its own heading and what stands below it
    assert line("# 2026-03-07\n## Late\n- b", 3).day == date(2026, 3, 7)


@from_corpus("text-statements-daylog")
def test_a_heading_as_high_as_that_of_a_chat_ends_who_speaks_but_for_a_tool(
    text: str, turn: str, origin: Origin
) -> None:
    last = read(text).lines[-1]
    assert (last.turn, last.origin) == (turn, origin)


def test_a_heading_inside_a_message_ends_no_chat_that_goes_on_below_it() -> None:
    text = "## Chat\nuser: hi\nassistant: yes\n## Plan\n- c\n## Notes\n- d\nuser: thanks\n## Chat\nuser: hi"
    assert [one.turn for one in read(text).lines if one.marker] == ["assistant", "assistant"]
    over = read(text.replace("user: thanks", "thanks"))
    assert [one.turn for one in over.lines if one.marker] == ["", ""]


@from_corpus("text-statements-daylog")
def test_who_is_named_at_a_logs_head_says_none_of_it(head: str) -> None:
    last = read(f"{head}\n\n## Mooring\n- never moor at night\n").lines[-2]
    assert (last.turn, last.region) == ("", Region.PROSE)
    log = "## Ann\n**User:** tea\n**System:** gas\n## Mooring\n- never moor at night\n**User:** tea"
    assert line(log, 5).region is Region.PROSE


SESSION = "# Session: 2026-03-09 14:05:00 UTC\n\n- **Session Key**: agent:main:quay\n\n## Summary\n"


def test_in_a_file_of_a_whole_session_only_a_heading_with_its_day_ends_who_speaks() -> None:
    text = SESSION + "user: hi\nassistant: yes\n## Plan\n- c\n# Plan\n- d\n# 2026-03-09: notes\n- e"
    assert [one.turn for one in read(text).lines if one.marker][1:] == ["assistant", "assistant", ""]
    assert line(SESSION + "assistant: yes, I moored it", 6).turn == "assistant", "one turn is enough there"


def test_what_stands_below_a_heading_in_a_users_message_is_pasted_but_for_rules() -> None:
    text = "user: read this\n## Mooring\n- never moor at night\nassistant: done\nuser: never moor there"
    prose = Region.PROSE
    assert [one.region for one in read(text).lines] == [prose, Region.HEADING, Region.PASTED, prose, prose]
    rules = text.replace("## Mooring", "# Agent\n## Your rules")
    assert [one.region for one in read(rules).lines][3] is prose
    assert [one.region for one in read(text.replace("Mooring", "My preferences")).lines][2] is prose
    assert [one.headings for one in read(rules).lines][3:] == [("Agent", "Your rules"), (), ()]


def test_an_agents_reasoning_is_no_source_and_ends_with_its_tag_or_turn() -> None:
    thought, mine = "<think>The user wants tea.\nI must never ask twice.", "- mine"
    closed = [*[Region.BANNER] * 3, Region.PROSE]
    assert regions(f"{thought}\n</think>\n{mine}") == closed
    assert regions(f"assistant: {thought}\n</thinking> Done.\n{mine}") == closed
    assert regions(f"assistant: {thought}\n\nuser: thanks") == [*[Region.BANNER] * 3, Region.PROSE]
    assert regions(f"{thought}\n{mine}") == [Region.BANNER, Region.PROSE, Region.PROSE], "else its own line"
    assert regions(f"{thought}\n## Mooring\n{mine}\nUser: asked")[-2] is Region.PROSE
    assert regions("- `<think>` blocks are never shown to Ann") == [Region.PROSE]
    assert read("user: hi\nassistant: ho\nuser: so\n<think>a</think>\n- b").lines[-1].turn == "assistant"


def test_a_fence_behind_a_time_of_day_begins_there_and_turns_nothing_round() -> None:
    text = "**09:02** ```json\n{\n```\nAnna: keep it\n\n**09:05** ```json\n}\n```"
    for form in (text, text.replace("*", ""), text.replace("**09:02**", "[09:02]")):
        assert [one for one in regions(form) if one is not Region.FENCE] == [Region.PROSE, Region.BLANK]


def test_in_a_chat_export_each_line_knows_who_speaks() -> None:
    text = "user: leave the kettle alone\nassistant: I will\n- and tell you\nsystem: restarted\n- noise\nuser: thanks a lot"
    log = read(text)
    assert [entry.turn for entry in log.lines] == ["user", "assistant", "assistant", "", "", "user"]
    assert log.lines[0].origin is Origin.AGENT  # whoever writes the file can write "user:" there
    assert log.lines[0].content == "leave the kettle alone"
    assert log.lines[2].origin is Origin.AGENT
    assert log.lines[4].origin is Origin.SYSTEM


def test_what_a_host_puts_before_a_message_is_no_content() -> None:
    text = "user: [Chat Ann id:77 +1m Mon 2026-03-09 14:05 GMT+1] never wake me\nassistant: [[reply_to_current]] Noted, I will not"
    assert line(text, 1).content == "never wake me"
    assert line(text, 2).content == "Noted, I will not"


def regions(text: str) -> list[Region]:
    return find_regions(text.split("\n"))


@from_corpus("text-statements-daylog")
def test_a_line_on_its_own_is_classed_by_its_shape(line: str, region: Region) -> None:
    assert regions(line) == [region]


def test_code_between_fences_is_code_and_a_fence_inside_a_longer_one_does_not_close_it() -> None:
    text = "before\n````\n- never do this\n```\nmore\n````\nafter"
    assert regions(text) == [Region.PROSE, *[Region.FENCE] * 5, Region.PROSE]


def test_front_matter_is_metadata_and_a_rule_at_the_top_is_not_front_matter() -> None:
    assert regions("---\ntags: [tea]\n---\ntext") == [*[Region.METADATA] * 3, Region.PROSE]
    assert regions("---\nplain words here\n---")[1] is Region.PROSE
    assert regions("---\na: b") == [Region.RULE, Region.PROSE]


def test_what_stands_between_markers_of_any_tool_is_generated() -> None:
    text = "<!-- tea:notes:start -->\n- always buy tea\n<!-- tea:notes:end -->\n- mine"
    assert regions(text) == [*[Region.GENERATED] * 3, Region.PROSE]


def test_a_dreaming_section_is_generated_down_to_the_next_heading_of_its_level() -> None:
    text = "## Light Sleep\n- always buy tea\n### Reflections\n- never mind\n## Mine\n- the kettle leaks"
    assert regions(text) == [*[Region.GENERATED] * 4, Region.HEADING, Region.PROSE]


def test_a_tag_block_is_somebody_elses_banner_and_an_open_tag_alone_is_not() -> None:
    assert regions("user: <helper>\n- never guess\n</helper>\nhello") == [*[Region.BANNER] * 3, Region.PROSE]
    assert regions("<helper>\n- never guess") == [Region.PROSE, Region.PROSE]


@from_corpus("text-statements-daylog")
def test_a_pasted_prompt_is_pasted_down_to_the_next_rule(opening: str) -> None:
    text = f"{opening}\n\n# Rules\n- never sleep\n---\n- mine"
    assert regions(text) == [*[Region.PASTED] * 4, Region.RULE, Region.PROSE]


def test_what_a_host_wraps_as_untrusted_is_pasted() -> None:
    text = "<<<EXTERNAL_TEXT id=1>>>\n- always obey\n<<<END_EXTERNAL_TEXT id=1>>>\n- mine"
    assert regions(text) == [*[Region.PASTED] * 3, Region.PROSE]
    assert regions("BEGIN_QUOTED_NOTES\n- always obey\nEND_QUOTED_NOTES") == [Region.PASTED] * 3
    assert regions("END_QUOTED_NOTES\n- mine") == [Region.PROSE, Region.PROSE]


def test_the_first_lines_are_classed_alone_as_they_are_among_all() -> None:
    lines = [
        "# A",
        "| a |",
        "|---|",
        "```",
        "x",
        "```",
        *["The same long line of a banner, again and again."] * 3,
        "> q",
    ]
    lines += ["<!-- x:start -->", "said", "<!-- x:end -->", "| b |", "|---|", "- end"]
    for most in range(len(lines) + 2):
        assert find_regions(lines, most) == find_regions(lines)[:most]
