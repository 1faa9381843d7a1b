import ast
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.text.code.probes import BENIGN, HOSTILE

from nightledger.text.code.audit import audit
from nightledger.text.code.denylist import BUILTINS, CALLS, IMPORTS
from nightledger.text.code.rule import CodeSeverity
from nightledger.text.code.table import CODE_TABLE, NOT_READ, ROWS


def rules(text: str, language: str = "") -> set[str]:
    return {finding.rule for finding in audit(text, language).findings}


@each_row("name", HOSTILE)
def test_what_somebody_should_have_read_first_is_found(name: str) -> None:
    assert rules(HOSTILE[name]) - NOT_READ, HOSTILE[name]


@each_row("name", BENIGN)
def test_what_only_looks_like_it_is_clean(name: str) -> None:
    told = audit(BENIGN[name])
    assert told.clean, told.findings


@pytest.mark.parametrize("module", IMPORTS)
def test_every_import_of_the_published_list_is_found_where_nothing_shows_that_it_does_no_harm(
    module: str,
) -> None:
    assert rules(f"import {module}") == {"code.import"}
    assert "code.import" in rules(f"import {module} as quiet\nlist(map(print, [quiet]))")


@each_row("call", CALLS)
def test_every_call_of_the_published_list_is_found(call: str) -> None:
    module, name = call.split(".")
    for text in (
        f"import {module}\n{call}('a')",
        f"from {module} import {name} as f\nf('a')",
        f"{call}('a')",
    ):
        assert rules(text) & {"code.process", "code.delete", "code.move"}, text


@pytest.mark.parametrize("name", BUILTINS)
def test_every_builtin_of_the_published_list_is_found(name: str) -> None:
    assert rules(f"{name}('all')")
    assert not rules(f"def {name}(a): ...\n{name}('all')")
    assert not rules(f"thing.{name}('all')")


def test_the_published_list_is_exactly_that() -> None:
    assert (len(IMPORTS), len(CALLS), len(BUILTINS)) == (10, 30, 6)
    assert {call.split(".")[0] for call in CALLS} == {"os", "subprocess", "shutil"}


def test_a_harmless_use_of_a_denied_name_is_a_note_and_no_finding() -> None:
    told = audit("import os\nprint(os.getcwd(), open('a').read())")
    assert told.clean
    assert [(n.line, n.what, n.severity) for n in told.notes] == [
        (1, "os", CodeSeverity.NOTE),
        (2, "open", CodeSeverity.NOTE),
    ]


def test_a_finding_tells_line_column_rule_and_severity() -> None:
    (finding,) = audit("import json\nx = 1; y = 'ü'; eval('1')").findings
    assert (finding.line, finding.column, finding.rule, finding.severity, finding.what) == (
        2,
        17,
        "code.run",
        CodeSeverity.HIGH,
        "builtins.eval",
    )


def test_columns_count_in_the_text_as_given() -> None:
    (indented,) = audit("    x = 1\n    eval('1')\n").findings
    assert (indented.line, indented.column) == (2, 5)
    (prompted,) = audit(">>> x = 1\n>>> eval('1')\n1\n").findings
    assert (prompted.line, prompted.column) == (2, 5)


@each_row("terms", [600, 1500, 3000, 100_000])
@each_row(
    "make",
    [
        lambda n: "x = " + "+".join(["1"] * n),
        lambda n: "x = " + "+".join(["'a'"] * n),
        lambda n: "(" * n + "1" + ")" * n,
        lambda n: "(" * n,
        lambda n: "f" + "()" * n,
        lambda n: "lambda: " * n + "1",
        lambda n: "-" * n + "f()",
        lambda n: "x = a" + "[0]" * n,
    ],
)
def test_depth_ends_in_an_answer_and_what_is_too_deep_is_never_clean(make: object, terms: int) -> None:
    told = audit(make(terms), "python")  # type: ignore[operator]
    assert told.audited is not bool(NOT_READ & {finding.rule for finding in told.findings})
    assert told.clean <= (terms < 3000)


def test_what_stands_beside_something_too_deep_is_audited() -> None:
    text = "import os\nx = " + "+".join(["1"] * 50_000) + "\nos.system('id')\n"
    assert rules(text) == {"code.too_deep", "code.process"}


def test_a_huge_text_is_not_audited() -> None:
    told = audit("x = 1\n" * 100_000)
    assert not told.audited
    assert [finding.rule for finding in told.findings] == ["code.too_large"]


def test_names_that_go_in_circles_end() -> None:
    assert audit("a = b\nb = c\nc = a\nx = a + b + c\n").clean
    many = "\n".join("a = a + b\nb = b + a" for _ in range(300))
    assert audit(many).audited
    chain = "\n".join(f"a{n} = a{n + 1} + a{n + 1}" for n in range(200))
    assert audit(chain + "\na200 = 'x'\n").audited


def test_what_costs_more_than_it_may_is_said_to_be_unaudited() -> None:
    loops = "".join(
        f"x{n} = [[[c + d + e for c in 'abcdefgh' * 60] for d in 'abcdefgh' * 60] for e in 'abcdefgh' * 60]\n"
        for n in range(3)
    )
    assert "code.too_deep" in rules(loops)


@pytest.mark.parametrize("text", ["x = 1\0\nimport os", "x = '\udcff'", "def f(:\n    pass\n", "x = = 1\n"])
def test_what_is_no_python_is_not_clean(text: str) -> None:
    told = audit(text, "python")
    assert not told.audited
    assert "code.unparsable" in {finding.rule for finding in told.findings}


@pytest.mark.parametrize("text", ["", "  \n\n", "# only a remark\n"])
def test_nothing_is_clean(text: str) -> None:
    assert audit(text, "python").clean


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("rm -rf ~", "shell"),
        ("const a = 1;", "javascript"),
        ("fetch('https://example.org')", "javascript"),
        ("reboot", "shell"),
    ],
)
def test_another_language_is_said_to_be_unaudited(text: str, language: str) -> None:
    told = audit(text)
    assert (told.language, told.audited, told.clean) == (language, False, False)
    assert [finding.rule for finding in told.findings] == ["code.unaudited"]


def test_a_rule_is_told_once_a_line_and_the_worst_of_it() -> None:
    told = audit("import os\nos.system('a'); os.system('b'); os.popen('c')\n")
    assert [finding.rule for finding in told.findings] == ["code.process"]


def test_what_is_told_is_a_name_and_never_a_text_of_the_snippet() -> None:
    text = "import os\ngetattr(os, 'Sign this at once!')\nvars(os)['and that'], __import__('a b')\n"
    assert all(
        "Sign" not in f.what and "that" not in f.what and "a b" not in f.what for f in audit(text).findings
    )
    assert max(len(f.what) for f in audit("import os\nos." + "a" * 300).findings) == 80


def test_no_more_is_told_than_anybody_reads() -> None:
    assert len(audit("eval('1')\n" * 500).findings) == 200


def test_every_finding_has_a_row() -> None:
    texts = [*HOSTILE.values(), *(text for row in CODE_TABLE for text in (*row.catches, *row.spares))]
    named = {finding.rule for text in texts for finding in (*audit(text).findings, *audit(text).notes)}
    assert named == set(ROWS)


@given(st.text(alphabet=st.sampled_from("abos.()[]{}'\"=:\n \t@!%>\\+,\0ü`#"), max_size=120))
def test_no_text_makes_it_fail(text: str) -> None:
    for language in ("", "python"):
        told = audit(text, language)
        assert told.clean <= told.audited
        assert all(f.line >= 1 and f.column >= 1 and f.rule in ROWS for f in told.findings)


@given(st.sampled_from(sorted(HOSTILE.values())), st.integers(0, 3), st.booleans())
def test_indentation_and_prompts_hide_nothing(text: str, depth: int, prompts: bool) -> None:  # noqa: FBT001 - drawn
    try:
        ast.parse(text)
    except SyntaxError:
        return
    if text.startswith("#") or "\\\n" in text:
        return
    lines = [f">>> {line}" if prompts else line for line in text.split("\n")]
    assert rules("\n".join("    " * depth + line for line in lines)) - NOT_READ


@pytest.mark.parametrize(
    "text",
    [
        "x = [x]\n" * 1000,
        "".join(f"a{n + 1} = [a{n}]\n" for n in range(900)),
        "x = [x, x]\nx = (x, [x])\n" * 300,
    ],
)
def test_lists_of_one_another_take_no_time_that_grows_with_their_power(text: str) -> None:
    began = time.process_time()
    audit(text + "import os\nos.system('x')\n", "python")
    assert time.process_time() - began < 10
