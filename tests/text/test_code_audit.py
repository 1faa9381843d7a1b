"""The code auditor through its front door: what it finds, what it spares, and what it says it did not read."""

from collections.abc import Callable

from bench.audit_corpus import read_corpus
from bench.bench_audit import is_right
from tests.rows import each_row, from_corpus

from nightledger.domain.finding import Severity
from nightledger.text.code_audit import audit, audit_document, find_snippets
from nightledger.text.code_source import NOT_READ, CodeSeverity, code_table
from nightledger.text.scanners.scan import scan


@each_row("call", code_table().published["calls"])
def test_every_call_of_the_published_list_is_found_by_each_of_its_names(call: str) -> None:
    module, name = call.split(".")
    ways = (f"import {module}\n{call}('a')", f"from {module} import {name} as f\nf('a')", f"{call}('a')")
    for text in ways:
        told = audit(text, "python")
        found = {finding.rule for finding in (*told.findings, *told.notes)}
        assert found & {"code.process", "code.delete", "code.move"}, text


@from_corpus("text-code-audit")
def test_a_name_is_found_however_it_is_reached_and_what_only_running_tells_is_told(text: str) -> None:
    assert {finding.severity for finding in audit(text, "python").findings} >= {CodeSeverity.HIGH}, text


@each_row("label, least", [("hostile", 0.8), ("benign", 0.95), ("unaudited", 0.95)])
def test_of_the_corpora_four_in_five_hostile_snippets_are_found_and_one_in_twenty_harmless_ones_at_most(
    label: str, least: float
) -> None:
    corpora = (read_corpus(name=name) for name in ("first", "unseen", "unseen-2", "unseen-3"))
    right = [is_right(snippet) for snippets in corpora for snippet in snippets if snippet.label == label]
    assert sum(right) / len(right) >= least


def test_a_harmless_use_of_a_denied_name_is_a_note_and_no_finding() -> None:
    told = audit("import os\nprint(os.getcwd(), open('a').read())")
    assert told.clean
    assert [(n.line, n.what, n.severity) for n in told.notes] == [
        (1, "os", CodeSeverity.NOTE),
        (2, "open", CodeSeverity.NOTE),
    ]


@each_row(
    "text",
    ["import json\nx = 1; y = 'ü'; eval('1')", "    x = 1\n    eval('1')\n", ">>> x = 1\n>>> eval('1')\n1\n"],
)
def test_places_count_in_the_text_as_given(text: str) -> None:
    (finding,) = audit(text).findings
    assert (finding.line, finding.rule, finding.what) == (2, "code.run", "builtins.eval")


@each_row("terms", [600, 3000, 100_000])
@each_row(
    "make",
    [
        lambda n: "x = " + "+".join(["'a'"] * n),
        lambda n: "(" * n + "1" + ")" * n,
        lambda n: "f" + "()" * n,
        lambda n: "a0 = 'x'\n" + "".join(f"a{k + 1} = a{k} + a{k}\n" for k in range(min(n, 3000))),
        lambda n: "a = b\nb = a\n" * (n // 10),
    ],
)
def test_depth_and_circles_end_in_an_answer_and_what_was_not_read_is_never_clean(
    make: Callable[[int], str], terms: int
) -> None:
    told = audit(make(terms), "python")
    assert told.audited is not bool(NOT_READ & {finding.rule for finding in told.findings})


@each_row("text", ["x = 1\n" * 100_000, "x = 1\0\nimport os", "x = '\udcff'", "def f(:\n    pass\n"])
def test_what_cannot_be_read_is_not_clean(text: str) -> None:
    told = audit(text, "python")
    assert (told.audited, told.clean) == (False, False)
    assert {finding.rule for finding in told.findings} <= NOT_READ


@from_corpus("text-code-audit")
def test_markdown_is_audited_snippet_by_snippet_and_a_notebook_is_told_and_not_called_clean(
    text: str, name: str, parts: list[list[object]]
) -> None:
    found = audit_document(text, name)
    assert [[part.line, part.audited.language] for part in found] == parts
    assert not any(part.audited.clean for part in found)


@from_corpus("text-code-audit")
def test_a_fence_is_what_its_info_string_or_its_shape_says_and_loses_its_prefix(
    text: str, snippets: list[list[object]]
) -> None:
    assert [[one.language, one.line, one.text] for one in find_snippets(text)] == snippets


def told(text: str) -> list[str]:
    return [f.message for f in scan(text, snippets=True) if f.rule.startswith("code.")]


def test_a_snippet_that_would_come_into_memory_is_flagged_with_its_line() -> None:
    text = "- Clean up so:\n\n  ```python\n  import os\n  os.system('rm -r x')\n  ```\n"
    (finding,) = (f for f in scan(text, snippets=True) if f.rule.startswith("code."))
    assert (finding.rule, finding.severity) == ("code.process", Severity.FLAG)
    assert finding.message == "starts another program, or becomes one: os.system (line 5)"
    assert text[finding.start : finding.end].startswith("  ```python")
    assert not scan("```python\neval('1')\n```\n"), "it is looked for only where it is asked for"


def test_a_snippet_that_holds_a_secret_is_flagged_without_names() -> None:
    key = "AKIA" + "QZ7XW4NB2MLKJH5G"
    (plain,) = told("```python\n%fetch_it x\n```\n")
    (hidden,) = told(f"```python\n%{key} x\n```\n")
    assert plain.endswith("from a notebook: %fetch_it (line 2)")
    assert hidden.endswith("from a notebook (line 2)")
    beside = told(f"```python\n%fetch_it x\n```\n\nThe key is {key}.\n")
    assert beside == [plain], "a secret elsewhere hides nothing of a snippet without one"
