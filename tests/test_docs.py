"""What the README and docs/ say must be so: a real session, help, names, paths, links, tables of fields.

``python -m tests.test_docs`` writes the tables of docs/formats.md anew from schemas/.
"""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.rows import corpus, each_row

from nightledger.codec.settings import parse_settings
from nightledger.demo.shell import Shell
from nightledger.domain import errors
from nightledger.domain.decision import EventName
from nightledger.files.home import Home, HomePath
from nightledger.hosts.daylogs import PRESETS
from nightledger.surfaces.cli import help_text, verbs
from nightledger.trust.report import Damage

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
FORMATS = ROOT / "docs" / "formats.md"
PAGES = (README, *sorted((ROOT / "docs").rglob("*.md")))
SCHEMAS = sorted((ROOT / "schemas").glob("*.schema.json"))
OUTSIDE = ("operator.yaml", "pin.json", "head.json", "log-ed25519", "log-mldsa44", "machine-ed25519")
"""Files of ``$NIGHTLEDGER_KEYS``, which is no part of a home."""


VERBS = [verb for rows in verbs().values() for verb in rows]
UNWRITTEN = {"run.finished"}
"""Events that have a name and that nothing writes in this version."""


def blocks(page: Path, language: str) -> list[str]:
    """Give the fenced blocks of one language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def tables(page: Path) -> list[list[list[str]]]:
    """Give every table as rows of cells, without the line under its heading."""
    lines = page.read_text(encoding="utf-8").splitlines()
    found: list[list[list[str]]] = []
    for at, line in enumerate(lines):
        if not line.startswith("|"):
            continue
        if at == 0 or not lines[at - 1].startswith("|"):
            found.append([])
        if not re.fullmatch(r"[|\s:-]+", line):
            found[-1].append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return found


def codes(text: str) -> list[str]:
    """Give what stands between backticks."""
    return re.findall(r"`([^`]+)`", text)


# ---------------------------------------------------------------- the README's session


WORKSPACE: dict[str, str] = json.loads(corpus("readme-session.json"))


def test_the_session_of_the_readme_is_what_the_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "ember"
    for name, text in WORKSPACE.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    shell = Shell(home=home, keys=tmp_path / "keys")
    monkeypatch.chdir(home)
    commands = session()
    assert [command.split()[1] for command, _ in commands] == [
        "init", "check", "night", "review", "apply", "apply", "undo", "verify"
    ]  # fmt: skip
    for command, shown in commands:
        printed = run(shell, command)
        assert shown_of(printed, shown), f"{command} printed\n{printed}\nand the README shows\n" + "\n".join(
            shown
        )


def session() -> list[tuple[str, list[str]]]:
    """Give the commands of the first block with what is shown under each."""
    (block, *_) = blocks(README, "console")
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def run(shell: Shell, command: str) -> str:
    """Run a command of the session at the time that it names; a review answers y to everything."""
    words = command.split()[1:]
    at = words.index("--now")
    now = datetime.fromisoformat(words[at + 1])
    typed = ["y"] * 9 if words[0] == "review" else []
    ran = shell.run(*words[:at], *words[at + 2 :], now=now, typed=typed)
    return ran.out + ran.err


def shown_of(printed: str, shown: Sequence[str]) -> bool:
    """Tell whether ``shown`` is what was printed, whole lines left out only where it says ``…``."""
    parts = ["(?:.*\n)*?" if line == "…" else re.escape(line) + "\n" for line in shown]
    return re.fullmatch("".join(parts), printed if printed.endswith("\n") else printed + "\n") is not None


# ---------------------------------------------------------------- help, verbs, targets


def test_help_in_the_readme_is_what_help_prints() -> None:
    assert blocks(README, "text")[0] == help_text(everything=False)


@each_row("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_only_verbs_that_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = re.findall(
        r"(?:`|'|\$ |^    |^|&& |bin/)nightledger ([a-z][a-z-]*)(?=[ `'\n])", text, re.MULTILINE
    )
    assert set(named) <= {*VERBS, "help"}


@each_row("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_only_make_targets_that_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = re.findall(r"(?:`|^    |&& )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= targets


# ---------------------------------------------------------------- sizes, links, paths


def test_the_readme_has_150_to_200_lines() -> None:
    assert 150 <= len(README.read_text(encoding="utf-8").splitlines()) <= 200


@each_row("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_decisions_are_25_pages_at_most_and_its_contents_list_each() -> None:
    folder = ROOT / "docs" / "decisions"
    pages = {path.name for path in folder.glob("*.md")} - {"README.md"}
    listed = re.findall(r"\]\(([^)]+)\)", (folder / "README.md").read_text(encoding="utf-8"))
    assert len(pages) <= 25
    assert sorted(listed) == sorted(pages)


def test_code_and_schemas_name_only_decisions_that_exist() -> None:
    sources = [path for room in ("scripts", "bench", "tests", "schemas") for path in (ROOT / room).rglob("*")]
    for path in (path for path in sources if path.suffix in (".py", ".json", ".md") and path.is_file()):
        named = re.findall(r"docs/decisions/(\d[\w-]*)", path.read_text(encoding="utf-8"))
        missing = [name for name in named if not (ROOT / "docs/decisions" / f"{name}.md").is_file()]
        assert missing == [], f"{path.name} names {missing}"


def home_files() -> set[str]:
    """Give every path that ``files/home.py`` names, relative to a home, ids and dates as ``*``."""
    home = Home("/h")
    fixed = {getattr(home, name) for name, value in vars(Home).items() if isinstance(value, HomePath)}
    made = {
        home.proposals_dir + "/*.json",
        home.decisions_dir + "/*.json",
        home.decisions_dir + "/*.json.sig",
    }
    return {path.removeprefix("/h/") for path in fixed | made}


def test_paths_in_tables_are_files_of_the_checkout_or_of_a_home() -> None:
    known = home_files()
    scripts = {path.name for path in (ROOT / "scripts").glob("*.py")}
    for page in (README, FORMATS):
        described = [table for table in tables(page) if table[0][0] not in ("field", "event", "host")]
        for cell in (cell for table in described for row in table[1:] for cell in row):
            for path in filter(is_path, codes(cell)):
                assert exists(path, known, scripts), f"{page.name} names {path}"


def is_path(code: str) -> bool:
    return bool(re.fullmatch(r"[\w.$<>*-]*[./][\w./<>*-]+", code)) and not code.startswith(
        (".../", "~", "/", "$")
    )


def exists(path: str, known: set[str], scripts: set[str]) -> bool:
    plain = re.sub(r"<[a-z0-9 ]+>|YYYY(-MM-DD)?", "*", path).rstrip("/")
    pieces = plain.split("/")
    inside = any("/".join(pieces[:n]) in known for n in range(1, len(pieces) + 1))
    written = plain in ("MEMORY.md", "memory/*.md", "memory/*-*.md", "AGENTS.md", "CLAUDE.md", "SOUL.md")
    return inside or written or plain in scripts or plain in OUTSIDE or (ROOT / plain).exists()


def test_the_week_names_every_script_and_no_other() -> None:
    (week,) = [table for table in tables(README) if table[0][-1] == "may it change memory?"]
    named = {code for row in week for code in codes(row[1]) if code.endswith(".py")}
    shown = {path.name for path in (ROOT / "scripts").glob("*.py")} - {
        "command.py",
        "demo.py",
    }
    assert named == shown


# ---------------------------------------------------------------- statuses and messages


def test_exit_statuses_are_those_of_the_program() -> None:
    (table,) = [table for table in tables(README) if table[0][0] == "status"]
    known = {getattr(errors, name) for name in vars(errors) if name.startswith("EXIT_")}
    assert {int(row[0]) for row in table[1:]} == known | {0}


def test_messages_that_the_readme_explains_are_printed_somewhere() -> None:
    (table,) = [table for table in tables(README) if table[0][0] == "it says"]
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "scripts" / "nightledger").rglob("*.py")]
    assert len(table) > 10
    for row in table[1:]:
        for message in codes(row[0]):
            pattern = ".*".join(map(re.escape, message.split("…")))
            assert any(re.search(pattern, source) for source in sources), f"nothing says: {message}"


def test_formats_lists_events_and_classes_that_exist() -> None:
    listed = [table for table in tables(FORMATS) if table[0][0] in ("event", "class")]
    events, classes = ({code for row in table[1:] for code in codes(row[0])} for table in listed)
    assert events == {event.value for event in EventName} - UNWRITTEN
    assert classes == {damage.value.upper() for damage in Damage} | {
        "ALTERED",
        "DRIFT",
        "EARLIER",
        "REWRITTEN",
    }


def test_formats_lists_hosts_as_their_presets_are() -> None:
    (table,) = [table for table in tables(FORMATS) if table[0][:2] == ["host", "told by"]]
    caps = parse_settings(None, where="").cap_characters
    names = {name: name.lower().replace(" ", "_") for name, *_ in table[1:]}
    assert list(names.values()) == [preset.host for preset in PRESETS]
    for (name, marks, gated, cap, skills, instructions), preset in zip(table[1:], PRESETS, strict=True):
        assert [mark.rstrip("/") for mark in codes(marks)] == [*preset.marks, *preset.one_of]
        assert (codes(gated), codes(instructions)) == (list(preset.gated), [preset.instructions])
        assert codes(skills) == [f"{preset.skills}/"]
        limit = caps[names[name]]
        assert cap == ("none" if limit is None else f"{limit:,} characters")


# ---------------------------------------------------------------- tables of fields


def schema_table(path: Path) -> list[str]:
    """Give the lines of the table of one schema: a row for each property, nested ones by their path."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    rows = [f"| {cell(name)} | {form} | {text} |" for name, form, text in properties(schema, "", schema)]
    for name, described in schema.get("$defs", {}).items():
        if "properties" in described:
            rows += [f"| *{name}* | | {described['description']} |"]
            rows += [f"| {cell(n)} | {f} | {t} |" for n, f, t in properties(described, f"{name}.", schema)]
    return ["| field | form | meaning |", "|---|---|---|", *rows]


def cell(name: str) -> str:
    return f"`{name}`"


def properties(
    described: dict[str, Any], prefix: str, root: dict[str, Any]
) -> Iterator[tuple[str, str, str]]:
    required = described.get("required", ())
    for name, inner in described.get("properties", {}).items():
        optional = "" if name in required or not required else "; optional"
        yield prefix + name, form_of(inner) + optional, inner["description"].replace("|", "\\|")
        yield from nested(inner, f"{prefix}{name}", root)


def nested(described: dict[str, Any], prefix: str, root: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    yield from properties(described, f"{prefix}.", root)
    for key, mark in (("items", "[]"), ("additionalProperties", ".*")):
        inner = described.get(key)
        if isinstance(inner, dict) and "properties" in inner:
            yield from properties(inner, f"{prefix}{mark}.", root)


def form_of(described: dict[str, Any]) -> str:
    """Name the form of a value in a word or two."""
    if "$ref" in described:
        return str(described["$ref"]).rsplit("/", 1)[-1]
    if "enum" in described:
        return ", ".join(map(str, described["enum"]))
    if "const" in described:
        return json.dumps(described["const"])
    kinds = described.get("type", "any")
    if kinds == "array" and isinstance(described.get("items"), dict):
        return f"list of {form_of(described['items'])}"
    return str(kinds) if isinstance(kinds, str) else " or ".join(kinds)


def marked(path: Path) -> re.Pattern[str]:
    name = re.escape(path.name)
    return re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- end -->)", re.DOTALL)


@each_row("path", SCHEMAS, ids=lambda path: path.name)
def test_formats_describes_each_record_as_its_schema_does(path: Path) -> None:
    found = marked(path).search(FORMATS.read_text(encoding="utf-8"))
    assert found is not None, f"docs/formats.md has no table of {path.name}"
    assert found[2].splitlines() == schema_table(path), "python -m tests.test_docs writes it anew"


def write_tables() -> None:
    """Put the tables of today's schemas into docs/formats.md."""
    text = FORMATS.read_text(encoding="utf-8")
    for path in SCHEMAS:
        before, after = re.split(marked(path), text, maxsplit=1)[::4]
        lines = "".join(f"{line}\n" for line in schema_table(path))
        text = f"{before}<!-- {path.name} -->\n{lines}<!-- end -->{after}"
    FORMATS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_tables()
