import pytest

from nightledger.text.code.source import read_source


def told(text: str) -> list[tuple[int, str, str]]:
    return [(place.line, place.rule, place.what) for place in read_source(text).places]


def test_lines_keep_their_numbers_in_every_form() -> None:
    for text in ("x = 1\ny = 2", "  x = 1\n  y = 2", ">>> x = 1\n>>> y = 2", "In [1]: x = 1\nIn [2]: y = 2"):
        source = read_source(text)
        assert source.whole
        assert source.tree is not None
        assert [node.lineno for node in source.tree.body] == [1, 2]


def test_output_between_prompts_is_not_read() -> None:
    source = read_source("Like this:\n\n>>> def f():\n...     return 1\n...\n>>> f()\n1\n")
    assert source.whole
    assert source.tree is not None
    assert len(source.tree.body) == 2


def test_a_magic_that_runs_something_is_named_and_the_rest_is_read() -> None:
    assert told("import json\n!ls -l\nx = !id\n%run a.py\n%matplotlib inline\n") == [
        (2, "code.notebook", "!"),
        (3, "code.notebook", "!"),
        (4, "code.notebook", "%run"),
    ]
    assert read_source("if x:\n    !ls \\\n      -l\ny = 1").whole
    assert read_source("df.head?\n").whole


def test_a_cell_of_another_language_is_not_read_as_python() -> None:
    source = read_source("%%bash\nls | sh\nrm -rf x\n")
    assert source.whole
    assert [place.what for place in source.places] == ["%%bash"]
    assert told("%%time\nx = f()\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "print 'a', x",
        "print",
        "print >>f, 'a'",
        "exec 'x' in {}",
        "try:\n    f()\nexcept IOError, e:\n    print e",
        "raise ValueError, 'a'",
        "x = 0777",
        "x = ur'a'",
        "if a <> b: print a",
        "x = `y`",
    ],
)
def test_statements_of_python_2_are_read(text: str) -> None:
    assert read_source(text).whole


def test_what_parses_of_a_broken_text_is_read_and_the_first_bad_line_named() -> None:
    source = read_source("import os\n\ndef f(:\n    pass\n\n@g\ndef h():\n    return 1\n\nos.system('x')\n")
    assert not source.whole
    assert [(place.line, place.rule) for place in source.places] == [(3, "code.unparsable")]
    assert source.tree is not None
    assert [node.lineno for node in source.tree.body] == [1, 7, 10]


def test_a_coding_that_reads_otherwise_is_named() -> None:
    assert told("# -*- coding: utf-7 -*-\nx = 1") == [
        (1, "code.detour", "a coding under which the text reads otherwise")
    ]
    assert told("# coding: latin-1\nx = 1") == []


def test_line_ends_and_a_mark_of_byte_order_do_not_matter() -> None:
    for text in ("\ufeffx = 1\r\ny = 2\r\n", "x = 1\ry = 2\r"):
        source = read_source(text)
        assert source.whole
        assert source.tree is not None
        assert [node.lineno for node in source.tree.body] == [1, 2]


def test_a_column_beyond_the_text_is_the_first() -> None:
    source = read_source("x = 1")
    assert source.column(1, 4) == 5
    assert source.column(9, 4) == 1
