"""Audit snippets of Python by their syntax tree: what they would do that somebody should have read first.

Nothing is run and nothing is imported on a snippet's behalf. What names stand for is followed through imports and plain
assignments; whatever is looked up or made while the code runs is told as something to read. Snippets are a script, and in
Markdown fences, indented blocks, inline code, and text that is code as a whole. Invariant: linear, and never raises for any
text; every part is either audited or said to be unaudited, what was not read is never called clean, and what is no snippet
of a runnable language gives none, so that prose, data and output stay quiet. A scanner's finding of code only flags: an
operator reads it, and the signature decides. A syntax check is no sandbox: it tells what is written, not what will happen.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice

from markdown_it import MarkdownIt
from msgspec import Struct

from nightledger.domain.finding import Finding, Severity
from nightledger.text.code_source import (
    MOST_CHARACTERS,
    MOST_PARTS,
    NOT_READ,
    Audited,
    CodeFinding,
    CodeSeverity,
    Names,
    Source,
    code_table,
    guess_language,
    language_of_info,
    read_source,
)
from nightledger.text.markdown.document import readable

MOST_FINDINGS = 200
"""Findings that are told of one snippet; the rest says nothing new."""
LONGEST_NAME = 80
"""Characters of a name that is told."""
_FETCHES = re.compile(r"(?:requests|httpx)\.\w+$|urllib\.request\.urlopen$")
_READS = re.compile(
    r"(?:builtins\.open|pathlib\.Path\(\))(?:\(\))?\.read\w*(?:\(\))?$|^os\.environ(?:\.copy)?(?:\(\))?$"
)
_FORMAT_WALK = re.compile(r"\{[^{}]*\.__\w+__")
_SAFE_LOADER = re.compile(r"yaml\.C?(?:Safe|Base)Loader$")
_LOOKUPS = ("builtins.getattr", "builtins.setattr", "builtins.delattr")
_SCOPES = ("builtins.globals()", "builtins.locals()", "builtins.vars()", "sys.modules", "builtins")
_LIKE_MODULES = ("builtins", "sys", "os", "ssl", "socket", "subprocess", "importlib", "shutil", "pathlib")
_OPENERS = ("builtins.open", "io.open", "codecs.open", "gzip.open", "os.open")
_TEMPORARY = ("tmp_path", "tmpdir", "tempfile")
Hit = tuple[ast.AST, str, str]
"""Where, which row, and the name it is about."""


def audit(text: str, language: str = "") -> Audited:
    """Audit one snippet.

    Args:
        text: The snippet, as it would be stored.
        language: ``python`` or another one, where a fence or a file's name tells it; "" to go by shape.
    """
    told = language or guess_language(text[: MOST_CHARACTERS + 1])
    if told != "python":
        return Audited(language=told, audited=False, findings=(_finding("code.unaudited", 1, told),))
    source = read_source(text)
    found = {_finding(rule, line, what) for line, rule, what in source.places}
    found |= set(_of_tree(source))
    ordered = sorted(found)
    told_of = {finding.what.split(".")[0] for finding in ordered if finding.rule != "code.published"}
    return Audited(
        language=told,
        audited=not any(finding.rule in NOT_READ for finding in ordered),
        findings=tuple(f for f in ordered if f.severity is not CodeSeverity.NOTE)[:MOST_FINDINGS],
        notes=tuple(f for f in ordered if f.severity is CodeSeverity.NOTE and f.what not in told_of)[
            :MOST_FINDINGS
        ],
    )


def _finding(rule: str, line: int, what: str) -> CodeFinding:
    severity = code_table().rows[rule].severity
    return CodeFinding(line=line, rule=rule, severity=severity, what=what[:LONGEST_NAME])


def _of_tree(source: Source) -> Iterator[CodeFinding]:
    """Give what a tree holds; the first of a rule on a line stands for the others there."""
    if source.tree is None:
        return
    told = set()
    for node, rule, what in _Auditor(source.tree).hits():
        line = getattr(node, "lineno", 1)
        if (line, rule) not in told:
            told.add((line, rule))
            yield _finding(rule, line, what)


class _Auditor:
    """One pass over one tree."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree, self.table = tree, code_table()
        self.names = Names(tree, self.table)
        nodes = list(ast.walk(tree))
        self.called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        looked_into = (node.value for node in nodes if isinstance(node, ast.Attribute | ast.Subscript))
        compared = (one for node in nodes if isinstance(node, ast.Compare) for one in node.comparators)
        self.inner = {id(one) for one in (*looked_into, *compared)}
        names = [node for node in nodes if isinstance(node, ast.Name)]
        self.used = {name.id for name in names}
        self.handed_on = {name.id for name in names if id(name) not in self.inner}
        self.docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}

    def hits(self) -> Iterator[Hit]:
        for node in ast.walk(self.tree):
            match node:
                case ast.Import() | ast.ImportFrom():
                    yield from self._imports(node)
                case ast.Call():
                    yield from self._call(node)
                case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()) | ast.Subscript(ctx=ast.Load()):
                    yield from self._loaded(node)
                case ast.Attribute() | ast.Subscript():
                    yield from self._stored(node)
                case ast.Constant(value=str(text)) if id(node) not in self.docs and _FORMAT_WALK.search(text):
                    yield node, "code.introspect", ""
                case ast.BinOp() | ast.JoinedStr() if self.names.text(node) in self.table.telltale:
                    yield node, "code.detour", ""
                case _:
                    pass

    def _imports(self, node: ast.Import | ast.ImportFrom) -> Iterator[Hit]:
        """Give a denied module: a note, but a finding where it is never used, handed on, or spread out."""
        module = getattr(node, "module", None)
        for alias in node.names:
            root = (module or alias.name).split(".")[0]
            if root in self.table.published["imports"] and not getattr(node, "level", 0):
                bound = alias.asname or alias.name.split(".")[0]
                used = bound in self.used and not (module is None and bound in self.handed_on)
                is_plain = alias.name != "*" and used  # of a whole module only to look into it
                yield node, "code.published" if is_plain else "code.import", root
            elif alias.name == "*" and root in self.table.modules:
                yield node, "code.detour", f"{root}.*"

    def _loaded(self, node: ast.Name | ast.Attribute | ast.Subscript) -> Iterator[Hit]:
        dotted = self.names.dotted(node)
        if rule := self.table.rule_of(dotted):
            yield node, rule, dotted
        if isinstance(node, ast.Attribute) and node.attr in self.table.walks and not self._is_own_class(node):
            yield node, "code.introspect", node.attr
        if isinstance(node, ast.Name) and dotted in ("builtins.open", "builtins.input"):
            yield node, "code.published" if id(node) in self.called else "code.builtin", node.id
        if dotted == "os.environ" and id(node) not in self.inner:
            yield node, "code.secret", dotted
        if isinstance(node, ast.Subscript):
            of = self.names.dotted(node.value)
            if of in _SCOPES or of.endswith(".__dict__"):
                yield node, "code.detour", of

    def _is_own_class(self, node: ast.Attribute) -> bool:
        return node.attr in ("__subclasses__", "__mro__", "__bases__") and isinstance(node.value, ast.Name)

    def _stored(self, node: ast.Attribute | ast.Subscript) -> Iterator[Hit]:
        """Give what is put in place of something that other code relies on."""
        of = self.names.dotted(node.value)
        if isinstance(node, ast.Subscript):
            name = self.names.text(node.slice)
            if of in ("os.environ", "os.environb") and name in self.table.environment:
                yield node, "code.hook", f"{of}[{name}]"
            elif of in ("sys.modules", "builtins", "builtins.__dict__"):
                yield node, "code.hook", of
        elif of.split(".")[0] in _LIKE_MODULES and "()" not in of and not node.attr.startswith("std"):
            yield node, "code.hook", f"{of}.{node.attr}"

    def _call(self, node: ast.Call) -> Iterator[Hit]:
        called = self.names.dotted(node.func)
        rule = self.table.rule_of(f"{called}()")
        if rule and not (rule == "code.unpickle" and self._is_safe(node)):
            yield node, rule, called
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        yield from self._keywords(node)
        yield from self._looked_up(node, called)
        yield from self._files(node, called, method)
        yield from self._network(node, called)
        if called in ("sys.path.insert", "sys.path.append"):
            place = self.names.text(node.args[-1]) if node.args else None
            if place is not None and place.startswith(("/", "~")):
                yield node, "code.hook", called

    def _is_safe(self, node: ast.Call) -> bool:
        """Tell whether a loader of YAML that runs nothing, or ``weights_only``, is named."""
        given = [*node.args[1:], *(word.value for word in node.keywords if word.arg == "Loader")]
        return any(_SAFE_LOADER.search(self.names.dotted(one)) for one in given) or any(
            word.arg == "weights_only" and getattr(word.value, "value", False) is True
            for word in node.keywords
        )

    def _keywords(self, node: ast.Call) -> Iterator[Hit]:
        for word in node.keywords:
            rule = self.table.keywords.get(word.arg or "")
            if rule and isinstance(word.value, ast.Constant) and word.value.value is True:
                yield node, rule, f"{word.arg}=True"

    def _looked_up(self, node: ast.Call, called: str) -> Iterator[Hit]:
        """Give what is reached by a name that only running the code would tell."""
        if called in _LOOKUPS and len(node.args) > 1:
            of, name = self.names.dotted(node.args[0]), self.names.text(node.args[1])
            is_module = of.split(".")[0] in self.table.modules or of.startswith("builtins")
            is_made = not isinstance(node.args[1], ast.Constant | ast.Name | ast.Attribute)
            if name is None and (is_module or is_made or id(node) in self.called):
                yield node, "code.detour", called
            elif name in self.table.walks or (name in self.table.telltale and not of):
                yield node, "code.detour", f"{called} {name}"
            elif any(map(self.table.rule_of, (f"{of}.{name}", f"{of}.{name}()"))):
                yield node, "code.detour", f"{of}.{name}"
            elif called != "builtins.getattr" and is_module and "()" not in of:
                yield node, "code.hook", f"{of}.{name}"
        elif called in ("importlib.import_module", "importlib.__import__") and node.args:
            name = self.names.text(node.args[0])
            if name is None or name.split(".")[0] in self.table.published["imports"]:
                yield node, "code.detour", called

    def _files(self, node: ast.Call, called: str, method: str) -> Iterator[Hit]:
        texts = [self.names.text(part) for part in self._parts(node)]
        place = next((text for text in texts if text and re.search(self.table.secret, text)), "")
        if place and called != "builtins.print" and not called.startswith("logging."):
            yield node, "code.secret", called
        rule = self.table.methods.get(method, "")
        is_other = bool(called) and not called.startswith(("pathlib.Path", "builtins.open"))
        if method in self.names.own or (is_other and rule != "code.network"):
            rule = ""  # the snippet says itself what that is, or it is a method of something else
        if self._opens_to_write(node, called, method):
            rule = "code.write"
        if not rule and self.table.rule_of(called) != "code.move":
            return
        if any(text and re.search(self.table.startup, text) for text in texts):
            yield node, "code.startup", called or method
        elif rule and not (rule == "code.write" and self._is_data(node, texts)):
            yield node, rule, called or method

    def _parts(self, node: ast.AST) -> Iterator[ast.AST]:
        """Give the pieces of a call's arguments and of the path that it is a method of."""
        for inner in islice(ast.walk(node), MOST_PARTS):
            yield inner
            if isinstance(inner, ast.Name):
                yield from self.names.parts(inner.id)

    def _opens_to_write(self, node: ast.Call, called: str, method: str) -> bool:
        if called not in _OPENERS and method != "open":
            return False
        if called == "os.open":
            flags = (part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute))
            return not {"O_WRONLY", "O_RDWR", "O_CREAT"}.isdisjoint(flags)
        at = int(called in _OPENERS)
        modes = [*node.args[at : at + 1], *(word.value for word in node.keywords if word.arg == "mode")]
        mode = self.names.text(modes[-1]) if modes else "r"
        if mode is None:
            return called == "builtins.open"
        return bool(re.fullmatch(r"[rwaxbtU+]{1,4}", mode)) and any(sign in mode for sign in "wax+")

    def _is_data(self, node: ast.Call, texts: list[str | None]) -> bool:
        """Tell whether what is written is a file that nothing runs, or lies in a directory for a test."""
        if any(isinstance(part, ast.Name) and part.id in _TEMPORARY for part in self._parts(node)):
            return True
        endings = [text.rpartition(".")[2].lower() for text in texts if text and "." in text]
        return any(ending in self.table.data_endings for ending in endings)

    def _network(self, node: ast.Call, called: str) -> Iterator[Hit]:
        rule = self.table.rule_of(called)
        if rule != "code.network" and not _FETCHES.search(called):
            return
        given = [*node.args, *(w.value for w in node.keywords if w.arg not in ("headers", "auth", "timeout"))]
        read = [self.names.dotted(part) for one in given for part in self._parts(one)]
        if any(_READS.search(name) for name in read):
            yield node, "code.leak", called
        elif not rule and any(word.arg in ("data", "files", "json") for word in node.keywords):
            yield node, "code.network", called


_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{4,8000})\1(?!`)")
_LIST = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_NUL = "\ud800"
"""Stands for a null byte, which CommonMark puts another character in the place of; no text holds it."""
_MOST_NESTING = 100
"""Quotations and lists in each other; code that lies deeper is found by nobody."""
_MARKDOWN = ("md", "markdown", "mdx", "qmd", "rmd")
_CODE_SIGN = re.compile(
    r"[\w\])\"']\(|^[^\S\n]*(?:import|from)\s+\w|^[^\S\n]*@\w|^[^\S\n]*[!%]\w|__\w+__", re.MULTILINE
)


class Snippet(Struct, frozen=True, kw_only=True):
    """One snippet in a text.

    Attributes:
        text: The code, with the prefix of its list or quotation taken off.
        language: What its fence tells, or its shape: ``python`` or another runnable language.
        line: The line of the text on which it begins, from 1.
        start: Its first character in the text.
        end: One past its last.
        fenced: Whether it stands in a fence; otherwise only shape says that it is code.
    """

    text: str
    language: str
    line: int
    start: int
    end: int
    fenced: bool


def find_snippets(text: str) -> tuple[Snippet, ...]:
    """Give the snippets of a Markdown text, in order of place; HTML around a fence hides none."""
    lines = _LINE.findall(text)
    starts = [0, *accumulate(map(len, lines))]
    found, taken = list[Snippet](), set[int]()
    parser = MarkdownIt("commonmark", {"maxNesting": _MOST_NESTING}).disable("html_block")
    parser.core.ruler.enableOnly(["normalize", "block"])
    for token in parser.parse(text.replace("\0", _NUL)):
        if token.map is None or token.type not in ("fence", "code_block"):
            continue
        first, end = token.map[0], min(token.map[1], len(lines))
        taken.update(range(first, end))
        is_fenced, body = token.type == "fence", token.content.replace(_NUL, "\0")
        language = language_of_info(token.info) or _shape(body) if is_fenced else _python(body)
        if language:
            place = {"line": first + 1 + is_fenced, "start": starts[first], "end": starts[end]}
            found.append(Snippet(text=body, language=language, fenced=is_fenced, **place))
    for n, line in enumerate(lines):
        found += _inline(line, n + 1, starts[n]) if n not in taken else ()
    if not found and len(text) <= MOST_CHARACTERS and _python(body := _LIST.sub("", text, count=1)):
        found.append(Snippet(text=body, language="python", line=1, start=0, end=len(text), fenced=False))
    return tuple(sorted(found, key=lambda snippet: snippet.start))


def _inline(line: str, number: int, start: int) -> Iterator[Snippet]:
    for match in _INLINE.finditer(line) if "`" in line else ():
        if language := _python(body := match[2].strip()):
            place = {"line": number, "start": start + match.start(2), "end": start + match.end(2)}
            yield Snippet(text=body, language=language, fenced=False, **place)


def _shape(body: str) -> str:
    language = guess_language(body) if body.strip() else ""
    return "" if language == "unknown" else language


def _python(body: str) -> str:
    """Give ``python`` for what calls, imports or decorates something and parses so; "" for all else."""
    return "python" if _CODE_SIGN.search(body) and guess_language(body) == "python" else ""


class Part(Struct, frozen=True, kw_only=True):
    """One audited part of a file.

    Attributes:
        line: On which line of the file its first line stands, from 1.
        audited: What the auditor says; its lines count from the part's first.
    """

    line: int
    audited: Audited


def audit_document(text: str, name: str = "") -> tuple[Part, ...]:
    """Audit every snippet of a file.

    Args:
        text: Its text.
        name: Its name; the ending tells a language.
    """
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if ending == "ipynb" or ('"cell_type"' in text and text.lstrip()[:1] == "{"):
        return (Part(line=1, audited=audit(text, "notebook")),)  # JSON, which Python would read as its own
    told = language_of_info(ending)
    has_fence = "```" in text or "~~~" in text
    if ending in _MARKDOWN or (not told and has_fence and guess_language(text) != "python"):
        return tuple(
            Part(line=snippet.line, audited=audit(snippet.text, snippet.language))
            for snippet in find_snippets(text)
        )
    return (Part(line=1, audited=audit(text, told)),)


def scan_code(text: str, secrets: Sequence[tuple[int, int]]) -> Iterator[Finding]:
    r"""Yield what the auditor says of the snippets in ``text``: each rule once a snippet.

    A message names what it is about as the code does, bytes that are no UTF-8 as ``\\xe9``; in a
    snippet that holds a secret it names nothing, because the secret may be the name.

    Args:
        text: Any text.
        secrets: Where in it secrets stand: first character, and one past the last.
    """
    covered = bytearray(len(text))
    for start, end in secrets:
        covered[start:end] = b"\1" * (end - start)
    for snippet in find_snippets(text):
        is_named = covered.find(1, snippet.start, snippet.end) < 0
        told: dict[str, CodeFinding] = {}
        for finding in audit(snippet.text, snippet.language).findings:
            if snippet.fenced or finding.rule not in NOT_READ:
                told.setdefault(finding.rule, finding)
        for finding in told.values():
            yield _told(snippet, finding, readable(finding.what) if is_named else "")


def _told(snippet: Snippet, finding: CodeFinding, what: str) -> Finding:
    line = snippet.line + finding.line - 1
    message = code_table().rows[finding.rule].why + (f": {what}" if what else "") + f" (line {line})"
    return Finding(
        rule=finding.rule, severity=Severity.FLAG, start=snippet.start, end=snippet.end, message=message
    )
