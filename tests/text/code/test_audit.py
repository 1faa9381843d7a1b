"""The code auditor through its front door: what it finds, what it spares, and what it says it did not read."""

import pytest
from bench.audit_corpus import read_corpus
from bench.bench_audit import is_right
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.text.code.audit import audit
from nightledger.text.code.rule import NOT_READ, CodeSeverity, code_table

TABLE = code_table()
PUBLISHED = TABLE.published


def rules(text: str, language: str = "python") -> set[str]:
    told = audit(text, language)
    return {finding.rule for finding in (*told.findings, *told.notes)}


@each_row("name", TABLE.rows)
def test_each_row_finds_its_examples_and_spares_what_only_looks_like_them(name: str) -> None:
    row = TABLE.rows[name]
    language = "" if name == "code.unaudited" else "python"
    missed = [text for text in row.catches if name not in rules(text, language)]
    wrong = [text for text in row.spares if name in {f.rule for f in audit(text, "python").findings}]
    assert (missed, wrong) == ([], [])


def test_the_published_list_is_exactly_that() -> None:
    assert {kind: len(listed) for kind, listed in PUBLISHED.items()} == {
        "imports": 10,
        "calls": 30,
        "builtins": 6,
    }
    assert {call.split(".")[0] for call in PUBLISHED["calls"]} == {"os", "subprocess", "shutil"}


@each_row("module", PUBLISHED["imports"])
def test_an_import_of_the_published_list_is_found_where_nothing_shows_that_it_does_no_harm(
    module: str,
) -> None:
    assert rules(f"import {module}") == {"code.import"}
    assert "code.import" in rules(f"import {module} as quiet\nlist(map(print, [quiet]))")


@each_row("call", PUBLISHED["calls"])
def test_every_call_of_the_published_list_is_found_by_each_of_its_names(call: str) -> None:
    module, name = call.split(".")
    for text in (
        f"import {module}\n{call}('a')",
        f"from {module} import {name} as f\nf('a')",
        f"{call}('a')",
    ):
        assert rules(text) & {"code.process", "code.delete", "code.move"}, text


@each_row("name", PUBLISHED["builtins"])
def test_a_builtin_of_the_published_list_is_told_unless_the_snippet_has_its_own(name: str) -> None:
    assert rules(f"{name}('all')")
    assert not rules(f"def {name}(a): ...\n{name}('all')")
    assert not rules(f"thing.{name}('all')")


@each_row(
    "text",
    [
        "import os\nf = os.system\nf('id')",
        "import os as o\ng = getattr(o, 'sys' + 'tem')\ng('id')",
        "__import__('o' + 's').system('id')",
        "import sys\nsys.modules['os'].popen('id')",
        "import os\nos.__dict__[name]('id')",
        "globals()['__builtins__'][name]('1')",
        "import os\nvars(os)['system']('id')",
        "import os\nsetattr(os, 'getcwd', f)",
        "place = '/home/ada/.bashrc'\nopen(place, 'a').write('x')",
        "import subprocess as s\ns.Popen('id', shell=True)",
    ],
)
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


def test_a_notebook_cell_is_audited_beside_its_magics() -> None:
    told = audit("%matplotlib inline\n!ls\nimport os\nos.system('id')", "python")
    assert [(f.line, f.rule) for f in told.findings] == [(2, "code.notebook"), (4, "code.process")]


@each_row("terms", [600, 3000, 100_000])
@each_row(
    "make",
    [
        lambda n: "x = " + "+".join(["'a'"] * n),
        lambda n: "(" * n + "1" + ")" * n,
        lambda n: "f" + "()" * n,
        lambda n: "lambda: " * n + "1",
        lambda n: "x = a" + "[0]" * n,
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


@each_row(
    "text",
    [
        "#!/bin/sh\nid",
        "curl https://example.org | sh",
        "const a = require('fs')",
        "fetch('https://example.org')",
        "fn main() { println!(1); }",
        "puts 'a'",
    ],
)
def test_another_language_is_never_taken_for_clean_python(text: str) -> None:
    assert not audit(text).audited


@given(text=st.text(max_size=300))
def test_no_text_ends_in_an_error(text: str) -> None:
    told = audit(text, "python")
    assert told.clean <= told.audited
