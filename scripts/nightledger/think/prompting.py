"""What a model is asked: the notes of a day, with the number of each line that it may quote, or the entries of the memory, with theirs.

Invariant: nothing that the scanners hold back, no secret, and no line that is not prose, heading or quotation is ever shown.
A prompt is a file of ``config/prompts/`` with ``{{names}}``; one that lacks a name, or holds a strange one, is refused
before anything is sent.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from nightledger.domain.daylog import DayLog, LogLine, Region
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.finding import Finding, Severity
from nightledger.files.durable import read_optional
from nightledger.files.home import shipped_config
from nightledger.text.markdown.document import Document
from nightledger.text.markdown.entries import Entry
from nightledger.text.scanners.scan import scan_lines, scan_secrets
from nightledger.text.statements.statements import rules_in
from nightledger.think.contract import ENTRY_CHARACTERS, View, is_part

PART_CHARACTERS = 24_000
"""Of notes in one question: about 8,000 tokens, which small models still read whole."""
MAX_PROMPT_BYTES = 64_000
_ITEM = re.compile(r"(?:^|\s)[-*+]\s+")
Told = TypeVar("Told")
_NAME = re.compile(r"\{\{(\w+)\}\}")
NAMES = {
    "draft": frozenset({"day", "limit", "memory", "notes"}),
    "checkup": frozenset({"day", "limit", "memory"}),
    "blocks": frozenset({"blocks", "principles", "tags"}),
}
"""The prompts that there are, and what each must name."""


def read_prompt(keys_dir: str, name: str) -> str:
    """Return a prompt of ``NAMES``: the operator's own in ``prompts/`` beside ``operator.yaml``, else the shipped one.

    Raises:
        ConfigurationError: It lacks a name in braces, or holds one that nothing stands for.
        UnreadableError: It is no regular file, or a huge one.
    """
    path = os.path.join(keys_dir, "prompts", f"{name}.md")
    own = read_optional(path, MAX_PROMPT_BYTES)
    text = (shipped_config(f"prompts/{name}.md") if own is None else own).decode("utf-8", "replace")
    found, names = set(_NAME.findall(text)), NAMES[name]
    if found != names:
        problems = [f"{{{{{one}}}}} is missing" for one in sorted(names - found)]
        problems += [f"nothing stands for {{{{{one}}}}}" for one in sorted(found - names)]
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
    rows += [f"{name}: {short(entry)}" for name, entry in view.entries.items()]
    return "\n".join(rows) or "(empty)"


def short(entry: Entry) -> str:
    """Return an entry in one line, cut where long."""
    return shorten(entry.text, ENTRY_CHARACTERS)


def shorten(text: str, most: int) -> str:
    """Return a text on one line, cut where it is longer than it may be."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[:most]} ..."


def suffixes(path: str) -> str:
    """Return a name of a file, and on lines of their own its ends behind each sign: a token need not begin it."""
    return "\n\n".join(path[sign.end() :] for sign in re.finditer(r"^|[-_./ ]", path))


def tells_secret(above: Iterable[str], text: str) -> bool:
    """Tell whether a text is a secret by what stands above it: ``Password`` as a heading, ``token:`` as an item."""
    plain = _ITEM.sub(" ", text).strip()
    read = (plain, *(f"{title.rstrip(' :*_')}: {plain}" for title in above if title))
    return any(map(_is_secret, scan_secrets("\n\n".join(read))))


def _is_secret(finding: Finding) -> bool:
    return finding.severity is Severity.BLOCK and finding.rule.startswith("secret.")


def require_clean(question: str) -> str:
    """Return a finished question as it may be sent.

    Raises:
        ConfigurationError: The scanners see a secret in it, however it came together.
    """
    plain = question.encode("utf-8", "replace").decode("utf-8", "replace")
    if any(map(_is_secret, scan_secrets(plain))):
        raise ConfigurationError(
            "the question holds what looks like a secret", hint="nightledger check names such lines of memory"
        )
    return plain


def cut_parts(logs: Mapping[str, DayLog]) -> Iterator[Part]:
    """Yield the notes in parts, none of which holds more than it may but for one section that is larger alone."""
    groups = (
        ((f"{name} = {log.path}", *_rows(section, log)), (name, section))
        for name, log in logs.items()
        for section in _sections(log)
    )
    for notes, sections in in_parts(groups):
        shown: dict[str, set[int]] = {}
        for name, section in sections:
            log = logs[name]
            shown.setdefault(name, set()).update(line.number for line in section if _may_be_quoted(line, log))
        yield Part(notes=notes, shown={name: frozenset(numbers) for name, numbers in shown.items()})


def in_parts(groups: Iterable[tuple[Sequence[str], Told]]) -> Iterator[tuple[str, list[Told]]]:
    """Yield the text of groups of rows, as many at a time as one question may hold, and what each group is of."""
    rows: list[str] = []
    told: list[Told] = []
    size = 0
    for group, of in groups:
        larger = sum(map(len, group))
        if rows and size + larger > PART_CHARACTERS:
            yield _joined(rows), told
            rows, told, size = [], [], 0
        rows += group
        told.append(of)
        size += larger
    if rows:
        yield _joined(rows), told


def _joined(rows: Sequence[str]) -> str:
    return "\n".join(row for at, row in enumerate(rows) if at == 0 or row != rows[at - 1])


def _sections(log: DayLog) -> Iterator[list[LogLine]]:
    """Yield the lines that may be shown, by heading; a long section in pieces."""
    held = rules_in((line for line in log.lines if line.text.strip()), secrets=True)
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
        if line.region is Region.PROSE and _is_told(line, log):
            continue
        if section and (line.region is Region.HEADING or size > PART_CHARACTERS):
            yield section
            section, size = [], 0
        section.append(line)
        size += len(line.content)
    if any(line.region is not Region.HEADING for line in section):
        yield section


def _is_told(line: LogLine, log: DayLog) -> bool:
    """Tell whether a line is a secret by its heading or lead, or goes on with one that the line before begins."""
    if tells_secret((*line.headings[-1:], line.lead), line.content):
        return True
    before = log.lines[line.number - 2].text.rstrip() if line.number > 1 and not line.marker else ""
    return bool(before) and any(map(_is_secret, scan_secrets(f"{before}{line.content}")))


def _is_shown(line: LogLine) -> bool:
    return line.region in (Region.PROSE, Region.HEADING) and bool(line.content)


def _may_be_quoted(line: LogLine, log: DayLog) -> bool:
    return line.region is not Region.HEADING and not is_part(line, log)


def _rows(section: Sequence[LogLine], log: DayLog) -> Iterator[str]:
    for line in section:
        if line.region is Region.HEADING:
            yield f"# {' > '.join(line.headings)}"
        else:
            speaker = f"{line.turn}: " if line.turn else ""
            number = line.number if _may_be_quoted(line, log) else ""
            yield f"{number}| {' ' * line.indent}{speaker}{line.content}"
