import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.domain.daylog import Region
from nightledger.text.statements.daylog import find_regions


def regions(text: str) -> list[Region]:
    return find_regions(text.split("\n"))


@given(st.lists(st.text(alphabet='#-`<>!=[]{}":. abdenrstu1/', max_size=30), max_size=40))
def test_every_line_has_one_region(lines: list[str]) -> None:
    assert len(find_regions(lines)) == len(lines)


@each_row(
    ("line", "region"),
    [
        ("", Region.BLANK),
        ("   ", Region.BLANK),
        ("## Kettle", Region.HEADING),
        ("---", Region.RULE),
        ("|---|:---:|", Region.RULE),
        ("- the kettle leaks", Region.PROSE),
        ("| kettle | leaks |", Region.PROSE),
        ("> somebody else said this", Region.PASTED),
        ('{"message_id": "7"}', Region.METADATA),
        ('  "sender": "x",', Region.METADATA),
        ("Sender (untrusted metadata):", Region.METADATA),
        ("- **Session Key**: agent:main", Region.METADATA),
        ("System: [2026-03-09 10:00] Gateway restarted", Region.BANNER),
        ("user: System (untrusted): [2026-03-09] Exec completed", Region.BANNER),
        ("A new session was started via /new or /reset.", Region.BANNER),
        ("[media attached: /srv/in/quay.jpg (image/jpeg)]", Region.BANNER),
        ("user: [media attached: /srv/in/quay.jpg]", Region.BANNER),
        ("To send an image back, prefer the message tool (media/path/filePath).", Region.BANNER),
        ("assistant: ⚠️ Agent failed before reply: no model answered", Region.BANNER),
        ('<call>exec{command: "date"}', Region.BANNER),
        ('<invoke name="exec">', Region.BANNER),
        ("<tool_result>", Region.BANNER),
        ("<callback> is what the quay calls it", Region.PROSE),
        ('Ada: <media:document> (1 file) <file name="quay.txt"> moor nothing here', Region.PASTED),
        ("# 2026-03-09 — Dream Diary", Region.GENERATED),
        ("# 2026-03-09 — Dreams of the quay", Region.HEADING),
        ("<!-- a comment -->", Region.GENERATED),
        ("- a lesson [score=0.91 recalls=3 avg=0.5]", Region.GENERATED),
        ("  - confidence: 0.62", Region.GENERATED),
        ("  - evidence: memory/2026-03-01.md:4-9", Region.GENERATED),
        ("- status: the kettle is off", Region.PROSE),
        ("**12:57** Pre-compaction memory flush. Store durable memories only in memory/x.md", Region.BANNER),
        ("- Pre-compaction memory flush turn. Capture durable memories to disk.", Region.BANNER),
        ("**10:01** System: [2026-03-09 10:00] Gateway restarted", Region.BANNER),
        ("- [09:30] Read HEARTBEAT.md if it exists.", Region.BANNER),
        ("If nothing to store, reply with NO_REPLY.", Region.BANNER),
        ("assistant: HEARTBEAT_OK", Region.BANNER),
        ("[System note: the session was reset by the daily schedule.]", Region.BANNER),
        ("- [cron:tides] always read the tide table", Region.BANNER),
        ("- **System:** the kettle runs on gas", Region.PROSE),
        ("- Rule: never reply HEARTBEAT_OK while the kettle is on", Region.PROSE),
        ("- The pre-compaction memory flush lost a note: write it down at once", Region.PROSE),
    ],
)
def test_a_line_on_its_own_is_classed_by_its_shape(line: str, region: Region) -> None:
    assert regions(line) == [region]


def test_code_between_fences_is_code_and_a_fence_inside_a_longer_one_does_not_close_it() -> None:
    text = "before\n````\n- never do this\n```\nmore\n````\nafter"
    assert regions(text) == [Region.PROSE, *[Region.FENCE] * 5, Region.PROSE]


def test_a_stray_fence_hides_only_its_own_line() -> None:
    assert regions("```\n- the kettle leaks") == [Region.FENCE, Region.PROSE]


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


@pytest.mark.parametrize(
    "heading", ["Nightly memory extraction (23:00)", "Durable facts extracted from talks", "REM Sleep"]
)
def test_what_a_tool_digests_of_a_day_is_generated(heading: str) -> None:
    assert regions(f"## {heading}\n- never mind") == [Region.GENERATED] * 2


def test_a_tag_block_is_somebody_elses_banner_and_an_open_tag_alone_is_not() -> None:
    assert regions("user: <helper>\n- never guess\n</helper>\nhello") == [*[Region.BANNER] * 3, Region.PROSE]
    assert regions("<helper>\n- never guess") == [Region.PROSE, Region.PROSE]


def test_a_long_line_that_stands_three_times_is_a_banner() -> None:
    line = "- never install anything without asking the helper first"
    assert regions("\n".join([line] * 3)) == [Region.BANNER] * 3
    assert regions("\n".join([line] * 2)) == [Region.PROSE] * 2


def test_a_collection_of_links_is_pasted_from_its_heading_to_its_last_link() -> None:
    entry = "## Post\nAlways do as I say.\n**URL:** https://example.org/a"
    text = "- mine\n" + "\n".join([entry] * 5) + "\n- mine again"
    found = regions(text)
    assert found[0] is Region.PROSE
    assert found[1:-1] == [Region.PASTED] * 15
    assert found[-1] is Region.PROSE


@pytest.mark.parametrize(
    "opening",
    [
        "You are an autonomous assistant for kettles",
        "Du bist ein hilfreicher Assistent der Küche",
        "Eres un asistente de cocina muy servicial",
        "你是一个负责烧水泡茶的智能助手请严格遵守下面的所有规则",
    ],
)
def test_a_pasted_prompt_is_pasted_down_to_the_next_rule(opening: str) -> None:
    text = f"{opening}\n\n# Rules\n- never sleep\n---\n- mine"
    assert regions(text) == [*[Region.PASTED] * 4, Region.RULE, Region.PROSE]


def test_what_a_host_wraps_as_untrusted_is_pasted() -> None:
    text = "<<<EXTERNAL_TEXT id=1>>>\n- always obey\n<<<END_EXTERNAL_TEXT id=1>>>\n- mine"
    assert regions(text) == [*[Region.PASTED] * 3, Region.PROSE]
    assert regions("BEGIN_QUOTED_NOTES\n- always obey\nEND_QUOTED_NOTES") == [Region.PASTED] * 3
    assert regions("END_QUOTED_NOTES\n- mine") == [Region.PROSE, Region.PROSE]


def test_the_head_of_a_table_is_no_row() -> None:
    assert regions("| Tap | Why |\n|---|:-:|\n| hot | never alone |") == [
        Region.RULE,
        Region.RULE,
        Region.PROSE,
    ]
    assert regions("- the tap\n---\n- never alone") == [Region.PROSE, Region.RULE, Region.PROSE]


def test_what_a_host_says_is_on_a_picture_is_somebody_elses_and_what_was_said_with_it_is_not() -> None:
    told = "[Image]\nUser text:\nIs this the quay?\nDescription:\nA quay with three cranes.\n\nMoor here.\nassistant: It is."
    assert regions(told)[2:] == [Region.PROSE, *[Region.PASTED] * 4, Region.PROSE]
    assert regions("[Image]\nDescription:\nA quay.")[2] is Region.PROSE
    assert regions("[Image]\nuser: look\nDescription:\nA quay.\nassistant: yes")[3] is Region.PROSE
    assert regions("Description:\nA quay.\nassistant: It is.")[1] is Region.PROSE


@pytest.mark.parametrize("body", [" ", "- ", "(untrusted a ", "| ", ":-", "[[reply_to"])
def test_a_line_without_end_is_looked_at_once(body: str) -> None:
    line = "- " + body * 40_000 + "x"
    assert regions(line) in ([Region.PROSE], [Region.METADATA])


def test_a_prompt_within_a_prompt_is_looked_at_once() -> None:
    told = regions("\n".join([*["You are a helpful assistant that answers all."] * 30_000, "---", "Then."]))
    assert told == [*[Region.PASTED] * 30_000, Region.RULE, Region.PROSE]


def test_collections_under_one_heading_are_one() -> None:
    told = regions("\n".join(["Before.", "# Links", *([""] * 201 + ["http://a.io"] * 5) * 2, "After."]))
    assert told == [Region.PROSE, *[Region.PASTED] * 413, Region.PROSE]
