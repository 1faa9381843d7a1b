"""What a model is asked: the notes of a day, with the number of each line, and the memory they are read against.

Invariant: nothing that the scanners hold back, no secret, and no line that is not prose, heading or quotation is ever shown.
A prompt is a file of ``config/prompts/`` with ``{{names}}``; one that lacks a name, or holds a strange one, is refused
before anything is sent.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from nightledger.domain.daylog import DayLog, LogLine, Region
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.finding import Severity
from nightledger.files.reading import read_optional
from nightledger.files.shipped import shipped_config
from nightledger.text.markdown.document import Document
from nightledger.text.markdown.entries import Entry
from nightledger.text.scanners.scan import scan_lines, scan_secrets
from nightledger.text.statements.statements import rules_in
from nightledger.think.contract import View

PART_CHARACTERS = 24_000
"""Of notes in one question: about 8,000 tokens, which small models still read whole."""
ENTRY_CHARACTERS = 300
"""Of an entry of memory: enough to know it by."""
MAX_PROMPT_BYTES = 64_000
_NAME = re.compile(r"\{\{(\w+)\}\}")
NAMES = {
    "draft": frozenset({"day", "limit", "memory", "notes"}),
    "blocks": frozenset({"blocks", "principles", "tags"}),
}
"""What stands in the braces of each prompt."""


def read_prompt(keys_dir: str, name: str = "draft") -> str:
    """Return a prompt: the operator's own in ``prompts/`` beside ``operator.yaml``, else the shipped one.

    Raises:
        ConfigurationError: It lacks a name in braces, or holds one that nothing stands for.
        UnreadableError: It is no regular file, or a huge one.
    """
    path = os.path.join(keys_dir, "prompts", f"{name}.md")
    own = read_optional(path, MAX_PROMPT_BYTES)
    text = (shipped_config(f"prompts/{name}.md") if own is None else own).decode("utf-8", "replace")
    found = set(_NAME.findall(text))
    if found != NAMES[name]:
        problems = [f"{{{{{one}}}}} is missing" for one in sorted(NAMES[name] - found)]
        problems += [f"nothing stands for {{{{{one}}}}}" for one in sorted(found - NAMES[name])]
        raise ConfigurationError(
            f"{path}: {'; '.join(problems)}", hint=f"config/prompts/{name}.md is the shipped one"
        )
    return text


def fill(prompt: str, values: Mapping[str, str]) -> str:
    """Return a prompt with its names replaced; what a value holds is never looked at again."""
    return _NAME.sub(lambda match: values[match[1]], prompt)


class Part(Struct, frozen=True, kw_only=True):
    """Notes that are shown in one question.

    Attributes:
        notes: The text.
        shown: The numbers of the lines in it, by log.
    """

    notes: str
    shown: Mapping[str, frozenset[int]]


def may_be_shown(document: Document) -> Callable[[int, int], bool]:
    """Return what tells whether no scanner holds back a line of a span of the memory file, from its first to its last."""
    found = scan_lines([*document.lines])
    held = {at + 1 for finding, places in found if finding.severity is not Severity.FLAG for at in places}
    return lambda first, last: held.isdisjoint(range(first, last + 1))


def show_memory(view: View) -> str:
    """Return sections and entries with their numbers, one line each."""
    rows = [f"{name}: {' > '.join(path)}" for name, path in view.sections.items()]
    rows += [f"{name}: {_short(entry)}" for name, entry in view.entries.items()]
    return "\n".join(rows) or "(empty)"


def _short(entry: Entry) -> str:
    text = " ".join(entry.text.split())
    return text if len(text) <= ENTRY_CHARACTERS else f"{text[:ENTRY_CHARACTERS]} ..."


def require_clean(question: str) -> str:
    """Return a finished question as it may be sent.

    Raises:
        ConfigurationError: The scanners see a secret in it, however it came together.
    """
    plain = question.encode("utf-8", "replace").decode("utf-8", "replace")
    if any(
        finding.severity is Severity.BLOCK and finding.rule.startswith("secret.")
        for finding in scan_secrets(plain)
    ):
        raise ConfigurationError(
            "the question holds what looks like a secret", hint="nightledger check names such lines of memory"
        )
    return plain


def cut_parts(logs: Mapping[str, DayLog]) -> Iterator[Part]:
    """Yield the notes in parts, none of which holds more than it may but for one section that is larger alone."""
    rows: list[str] = []
    shown: dict[str, set[int]] = {}
    for name, log in logs.items():
        for section in _sections(log):
            told = [f"{name} = {log.path}", *_rows(section)]
            if rows and sum(map(len, rows)) + sum(map(len, told)) > PART_CHARACTERS:
                yield _part(rows, shown)
                rows, shown = [], {}
            rows += told
            shown.setdefault(name, set()).update(
                line.number for line in section if line.region is not Region.HEADING
            )
    if rows:
        yield _part(rows, shown)


def _part(rows: Sequence[str], shown: Mapping[str, set[int]]) -> Part:
    kept = [row for at, row in enumerate(rows) if at == 0 or row != rows[at - 1]]
    return Part(notes="\n".join(kept), shown={name: frozenset(numbers) for name, numbers in shown.items()})


def _sections(log: DayLog) -> Iterator[list[LogLine]]:
    """Yield the lines that may be shown, by heading; a long section in pieces."""
    held = rules_in(line for line in log.lines if line.text.strip())
    secret = {
        line.headings[-1]
        for line in log.lines
        if line.number in held and line.region is Region.HEADING and line.headings
    }
    section: list[LogLine] = []
    size = 0
    for line in log.lines:
        if line.number in held or not _is_shown(line) or not secret.isdisjoint(line.headings):
            continue
        if section and (line.region is Region.HEADING or size > PART_CHARACTERS):
            yield section
            section, size = [], 0
        section.append(line)
        size += len(line.content)
    if any(line.region is not Region.HEADING for line in section):
        yield section


def _is_shown(line: LogLine) -> bool:
    return line.region in (Region.PROSE, Region.HEADING) and bool(line.content)


def _rows(section: Sequence[LogLine]) -> Iterator[str]:
    for line in section:
        if line.region is Region.HEADING:
            yield f"# {' > '.join(line.headings)}"
        else:
            speaker = f"{line.turn}: " if line.turn else ""
            yield f"{line.number}| {' ' * line.indent}{speaker}{line.content}"
