"""What was expunged is not said again, though the agent's own daily log still holds it, and nobody keeps its text."""

import json

import pytest
from tests.blackbox.world import LOG, START, World, found

SENTENCE = "The staging relay answers only on port 7443 behind the office proxy."
SECRET = "quarzblende-1187"
"""Nothing tells that it is one; the line around it is harmless."""
OUTCOME = {
    "timestamp": "2026-03-04T09:00:00Z",
    "source_file": "memory/2026-03-04.md#vault",
    "task_type": "unlock",
    "context_tags": ["vault"],
    "resolution": "opened_it",
    "outcome": "success",
    "note": f"it opened by {SECRET}",
}
"""What an agent writes anew into its own ledger stays there, and is not told."""
AGAIN = (
    SENTENCE,
    SENTENCE.upper(),
    f"**{SENTENCE.removesuffix('.')}**",
    "The staging\nrelay   answers only on port 7443\nbehind the office proxy",
    f"Remember this: {SENTENCE} It was so in May.",
    "- the staging relay - answers only on port 7443, behind the office proxy!",
    f"The vault opens with {SECRET}.",
    f"{SECRET.title()} opens it.",
)


def written(world: World) -> str:
    """Give all that the home holds beside the agent's own daily logs and outcomes, as far as it is text."""
    own = world.home / "memory"
    files = (p for p in world.home.rglob("*") if p.is_file() and not (p.parent == own and p.suffix == ".md"))
    kept = (path for path in files if path.name != "outcome-records.jsonl")
    return squeezed("\n".join(path.read_bytes().decode("utf-8", "replace") for path in kept))


def squeezed(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def says(text: str) -> bool:
    return squeezed(SENTENCE) in squeezed(text) or squeezed(SECRET) in squeezed(text)


def expunge(world: World, text: str) -> None:
    ran = world.run("expunge", "--text-from-stdin", stdin=text)
    assert ran.status == 0, ran


def live_through(world: World) -> None:
    """Have two texts learned out of a daily log, signed, applied and expunged; the log stays as it is."""
    world.log_day(
        "2026-03-02",
        "## Relay",
        f"Lesson: {SENTENCE}",
        "Lesson: `make deploy` needs a clean checkout.",
        "## Vault",
        f"Lesson: the vault opens with {SECRET} and never without it.",
    )
    world.now = START.replace(day=3, hour=3, minute=10)
    world.ok("night")
    world.ok("review", typed=["y"] * 20)
    world.wait(hours=6)
    world.ok("apply")
    assert says(world.read())
    expunge(world, f"- Lesson: {SENTENCE}")  # as the file shows it
    expunge(world, SECRET)
    assert not says(world.read())


def test_nights_views_recall_and_the_hook_do_not_say_again_what_was_expunged(world: World) -> None:
    live_through(world)
    for day in ("2026-03-03", "2026-03-04"):
        world.log_day(day, f"Lesson: {SENTENCE.lower()}", f"Fact: the vault opens with {SECRET.upper()}.")
        world.wait(days=1)
        world.ok("night")
    world.ok("log", "--stdin", stdin=json.dumps(OUTCOME))
    asked = ["staging relay port", "what opens the vault", "unlock vault opened it"]
    told = [
        *(world.ok("recall", words) for words in asked),
        *(world.ok("recall", words, "--agent") for words in asked),
        *(world.ok("recall", words, "--frame", "task") for words in asked),
        world.ok("stage"),
        world.ok("consolidate", "--since", "2026-03-01"),
        json.dumps(world.proposals("--all")),
        world.process("hook", "claude_code", "SessionStart", stdin=json.dumps({"cwd": str(world.home)})).out,
        world.process("hook", "claude_code", "UserPromptSubmit", stdin=json.dumps({"prompt": asked[0]})).out,
        world.ok("status"),
        *(world.ok("show", one["id"]) for one in world.proposals()),
        world.ok("review", typed=["v", "d", "s"] * 9),
    ]
    assert not [text for text in told if says(text)]
    assert not says(written(world))
    assert world.run("verify").status == 0
    assert world.independent().status == 0


def test_a_pasted_section_hides_no_common_word_and_no_signed_entry(world: World) -> None:
    """Of several lines the heading and what is short say nothing; what is withheld is told by its length."""
    world.log_day("2026-02-28", "## Relay", "The vault opens with quarzblende-1187.")
    section = "## Relay\n\n- The vault opens with quarzblende-1187.\nthen run\nDeploys\n"
    ran = world.run("expunge", "--text-from-stdin", "--json", stdin=section)
    assert ran.status == 0, ran
    record = json.loads(ran.out)
    assert (record["withheld"], record["not_withheld"]) == ([40], [8, 8, 7])
    common = (
        "Label the relay cables.",
        "First stop nginx, then run the migration.",
        "Deploys wait for Anna.",
    )
    assert [text for text in common if not world.propose(text)] == []
    assert world.run("propose", "--text", f"It was {SECRET}.", "--section", "Lessons", "--reason", "r").status
    assert signed_is_told(world)
    world.ok("night")
    assert signed_is_told(world)


def test_a_word_that_was_expunged_alone_hides_no_signed_entry(world: World) -> None:
    """An expunge cuts its bytes out of what is signed; the same word in other letters stays there as it was signed."""
    world.log_day("2026-02-28", "Lesson: the word UPGRADE was written on the door, and nobody knows why.")
    expunge(world, "UPGRADE")
    assert signed_is_told(world)
    assert "on the door" not in world.ok("recall", "word written on the door", "--agent")


def signed_is_told(world: World) -> bool:
    """Tell whether the agent is given what stands signed of the relay, by search and by frame."""
    asked = ("recall", "restart relay upgrade", "--agent"), ("recall", "relay", "--frame", "task", "--agent")
    return all("Restart the relay after an upgrade." in world.ok(*words) for words in asked)


def test_links_do_not_say_what_was_expunged(world: World) -> None:
    """An agent logs it again as a resolution and as a tag; the ledger is the agent's, the views are ours."""
    name = SENTENCE.removesuffix(".").lower().replace(" ", "_")
    tag = f"opens_with_{SECRET.replace('-', '_')}"
    for n in range(5):
        for tags, resolution in (
            ("nginx,relay", name),
            (f"{tag},vault", "opened"),
            ("cron,disk", "cleaned_up"),
        ):
            words = ("--tags", tags, "--resolution", resolution, "--session", f"s{n}")
            world.ok(
                "log",
                "--task-type",
                "a",
                "--outcome",
                "success",
                "--source",
                "memory/2026-03-01.md#x",
                *words,
            )
    world.ok("link")
    assert says(written(world))
    world.log_day("2026-03-01", f"Lesson: {SENTENCE}", f"Lesson: the vault opens with {SECRET}.")
    expunge(world, SENTENCE)
    expunge(world, f"opens with {SECRET}")
    world.ok("link")
    links = json.loads(world.read("memory/system/hebbian-links.json"))
    assert "cleaned_up" in json.dumps(links)
    assert not says(written(world))
    assert not says(world.ok("recall", "--tags", "nginx") + world.ok("recall", "--tags", "vault"))
    assert world.run("rebuild", "--check").status == 0
    assert world.run("verify").status == 0


def test_nobody_can_propose_again_what_was_expunged(world: World) -> None:
    live_through(world)
    taken = []
    for text in AGAIN:
        made = [
            world.run("propose", "--section", "Lessons", "--text", text, "--reason", "it helped"),
            world.run("propose", "--section", "Lessons", "--text", "Label cables.", "--reason", text),
        ]
        taken += [(ran.words, ran) for ran in made if ran.status == 0]
    assert not taken
    assert not says(written(world))
    assert world.propose("The staging relay listens on another port now.")


def test_what_only_the_daily_log_holds_is_expunged_before_a_night_learns_it(world: World) -> None:
    world.log_day("2026-03-02", f"Lesson: {SENTENCE}")
    expunge(world, SENTENCE)
    world.now = START.replace(day=3, hour=3, minute=10)
    world.ok("night")
    assert not says(written(world))
    assert world.run("verify").status == 0
    assert world.independent().status == 0


def test_an_old_log_that_still_holds_it_is_not_copied_into_the_archive(world: World) -> None:
    world.log_day("2026-01-02", f"Lesson: {SENTENCE}", *(f"looked at host number {n}" for n in range(80)))
    expunge(world, SENTENCE)
    world.wait(days=1)
    world.ok("prune")
    world.ok("review", typed=["y"] * 9)
    world.wait(hours=6)
    world.ok("apply")
    assert not says(written(world))


def test_the_log_keeps_hashes_that_only_the_keys_folder_can_make(
    world: World, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two homes keep different hashes of one text; neither is the plain hash of it."""
    kept = []
    for one in (world, found(tmp_path_factory.mktemp("other"))):
        one.log_day("2026-03-02", f"Lesson: {SENTENCE}")
        expunge(one, SENTENCE)
        (event,) = [event for event in one.events() if event["event"] == "text.expunged"]
        kept.append(event["withheld"])
        assert not says((one.home / LOG).read_text())
    assert kept[0]
    assert not set(kept[0]) & set(kept[1])
