"""The code auditor through its front door: what it finds, what it spares, and what it says it did not read."""

import pytest
from bench.audit_corpus import read_corpus
from bench.bench_audit import is_right
from tests.rows import each_row, from_corpus

from nightledger.domain.finding import Severity
from nightledger.text.code_audit import audit, audit_document, find_snippets
from nightledger.text.code_source import NOT_READ, CodeSeverity, code_table
from nightledger.text.scanners.scan import scan

TABLE = code_table()
PUBLISHED = TABLE.published


def rules(text: str, language: str = "python") -> set[str]:
    told = audit(text, language)
    return {finding.rule for finding in (*told.findings, *told.notes)}


@each_row("call", PUBLISHED["calls"])
def test_every_call_of_the_published_list_is_found_by_each_of_its_names(call: str) -> None:
    module, name = call.split(".")
    for text in (
        f"import {module}\n{call}('a')",
        f"from {module} import {name} as f\nf('a')",
        f"{call}('a')",
    ):
        assert rules(text) & {"code.process", "code.delete", "code.move"}, text


@from_corpus("text-code-audit")
def test_a_name_is_found_however_it_is_reached_and_what_only_running_tells_is_told(text: str) -> None:
    assert {finding.severity for finding in audit(text, "python").findings} >= {CodeSeverity.HIGH}, text


def test_of_the_corpora_four_in_five_hostile_snippets_are_found_and_one_in_twenty_harmless_ones_at_most() -> (
    None
):
    snippets = [s for name in ("first", "unseen", "unseen-2", "unseen-3") for s in read_corpus(name=name)]
    share = {
        label: [is_right(snippet) for snippet in snippets if snippet.label == label]
        for label in ("hostile", "benign", "unaudited")
    }
    right = {label: sum(of) / len(of) for label, of in share.items()}
    assert right["hostile"] >= 0.8
    assert right["benign"] >= 0.95
    assert right["unaudited"] >= 0.95


def test_a_harmless_use_of_a_denied_name_is_a_note_and_no_finding() -> None:
    told = audit("import os\nprint(os.getcwd(), open('a').read())")
    assert told.clean
    assert [(n.line, n.what, n.severity) for n in told.notes] == [
        (1, "os", CodeSeverity.NOTE),
        (2, "open", CodeSeverity.NOTE),
    ]


def test_places_count_in_the_text_as_given() -> None:
    (finding,) = audit("import json\nx = 1; y = 'ü'; eval('1')").findings
    assert (finding.line, finding.rule, finding.what) == (2, "code.run", "builtins.eval")
    for text in ("    x = 1\n    eval('1')\n", ">>> x = 1\n>>> eval('1')\n1\n"):
        (finding,) = audit(text).findings
        assert finding.line == 2


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
    make: object, terms: int
) -> None:
    told = audit(make(terms), "python")  # type: ignore[operator]
    assert told.audited is not bool(NOT_READ & {finding.rule for finding in told.findings})


@pytest.mark.parametrize(
    "text", ["x = 1\n" * 100_000, "x = 1\0\nimport os", "x = '\udcff'", "def f(:\n    pass\n"]
)
def test_what_cannot_be_read_is_not_clean(text: str) -> None:
    told = audit(text, "python")
    assert (told.audited, told.clean) == (False, False)
    assert {finding.rule for finding in told.findings} <= NOT_READ


def test_markdown_is_audited_snippet_by_snippet() -> None:
    text = "# A\n\n```python\neval('1')\n```\n\n```sh\nls\n```\n"
    for name in ("a.md", "-"):
        parts = audit_document(text, name)
        assert [(part.line, part.audited.language) for part in parts] == [(4, "python"), (8, "shell")]
    assert audit_document("Only words.", "a.md") == ()


def test_a_notebook_is_told_and_not_called_clean() -> None:
    for text in ('{"cell_type": 1', '{"cells": [{"cell_type": "code", "source": "x = 1"}]}'):
        (part,) = audit_document(text)
        assert (part.audited.language, part.audited.audited, part.audited.clean) == ("notebook", False, False)
    assert not audit_document("x = 1", "a.ipynb")[0].audited.clean


def found(text: str) -> list[tuple[str, int, str]]:
    return [(snippet.language, snippet.line, snippet.text) for snippet in find_snippets(text)]


def test_a_fence_is_what_its_info_string_says() -> None:
    assert found("a\n\n```python\nx = 1\n```\n\n~~~sh\nls\n~~~\n") == [
        ("python", 4, "x = 1\n"),
        ("shell", 8, "ls\n"),
    ]


def test_a_fence_in_a_list_or_a_quotation_loses_its_prefix() -> None:
    assert found("- how:\n  ```python\n  if x:\n      f()\n  ```\n")[0][2] == "if x:\n    f()\n"
    assert found("> ```python\n> f()\n> ```\n")[0][2] == "f()\n"
    assert found("1. ```py\n   f()\n   ```\n")[0][2] == "f()\n"


@pytest.mark.parametrize("info", ["", "text", "json"])
def test_a_fence_without_a_language_is_told_by_shape(info: str) -> None:
    assert found(f"```{info}\nimport os\nos.system('id')\n```\n")[0][0] == "python"
    assert found(f"```{info}\n12:30 all done\n```\n") == []
    assert found(f"```{info}\n\n```\n") == []


def told(text: str) -> list[tuple[str, str]]:
    return [(f.rule, f.message) for f in scan(text, snippets=True) if f.rule.startswith("code.")]


def test_a_snippet_that_would_come_into_memory_is_flagged_with_its_line() -> None:
    text = "- Clean up so:\n\n  ```python\n  import os\n  os.system('rm -r x')\n  ```\n"
    (finding,) = [f for f in scan(text, snippets=True) if f.rule.startswith("code.")]
    assert (finding.rule, finding.severity) == ("code.process", Severity.FLAG)
    assert finding.message == "starts another program, or becomes one: os.system (line 5)"
    assert text[finding.start : finding.end].startswith("  ```python")


def test_code_is_looked_for_only_where_it_is_asked_for() -> None:
    text = "```python\neval('1')\n```\n"
    assert not scan(text)
    assert scan(text, snippets=True)
    assert not scan("Backups run at four.", snippets=True)


def test_a_snippet_that_holds_a_secret_is_flagged_without_names() -> None:
    key = "AKIA" + "QZ7XW4NB2MLKJH5G"
    (plain,) = told("```python\n%fetch_it x\n```\n")
    (hidden,) = told(f"```python\n%{key} x\n```\n")
    assert plain[1].endswith("from a notebook: %fetch_it (line 2)")
    assert hidden[1].endswith("from a notebook (line 2)")
    beside = told(f"```python\n%fetch_it x\n```\n\nThe key is {key}.\n")
    assert beside == [plain], "a secret elsewhere hides nothing of a snippet without one"
