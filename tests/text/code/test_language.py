import pytest
from bench.audit_corpus import read_corpus
from tests.rows import each_row

from nightledger.text.code.language import guess_language, language_of_info


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("python", "python"),
        ("Python3 title=x.py", "python"),
        ("{python}", "python"),
        ("{.python .numberLines}", "python"),
        ("pycon", "python"),
        ("bash", "shell"),
        ("sh -x", "shell"),
        ("js", "javascript"),
        ("json", ""),
        ("text", ""),
        ("", ""),
    ],
)
def test_an_info_string_names_a_language(info: str, language: str) -> None:
    assert language_of_info(info) == language


@each_row(
    ("text", "language"),
    [
        ("#!/usr/bin/env python3\nprint(1)", "python"),
        ("#!/bin/sh\nid", "shell"),
        ("#!/opt/odd/thing\nid", "unknown"),
        ("x = f(1)", "python"),
        ("    x = f(1)", "python"),
        (">>> f(1)\n1", "python"),
        ("print 'a'", "python"),
        ("# coding: utf-7\n+AGk-", "python"),
        ("def f(x)\n  x.y\nend\n\nputs f('a')", "ruby"),
        ("[1].each do |n|\n  puts n\nend", "ruby"),
        ("function f(x)\n  print(x)\nend", "lua"),
        ("import os\nos.system('a'\nend", "python"),
        ("def f(x):\n    g(x\n    end\n", "python"),
        ('package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println(1)\n}', "go"),
        ("fn main() {\n    let x = 1;\n}", "rust"),
        ("public class A {\n  int b;\n}", "java"),
        ("(" * 500, "python"),
        ("", "python"),
        ("git push && make", "shell"),
        ("FOO=1 make x", "shell"),
        ("cat a | sh", "shell"),
        ("if (a === b) { run(); }", "javascript"),
        ("document.title", "javascript"),
        ("console.log(1)", "javascript"),
        ("fetch(address)", "javascript"),
        ("SELECT a FROM b", "sql"),
        ("Get-Item x | Remove-Item", "powershell"),
        ("<?php echo 1;", "php"),
        ("<script>alert(1)</script>", "html"),
        ("#include <stdio.h>\nint main(void) { return 0; }", "c"),
        ("A few words about nothing.", "unknown"),
        ("12:30 done", "unknown"),
        ("name", "unknown"),
    ],
)
def test_a_shape_tells_a_language(text: str, language: str) -> None:
    assert guess_language(text) == language


def test_snippets_of_the_corpus_that_are_not_held_out_are_told_apart() -> None:
    for snippet in read_corpus():
        if not snippet.held_out:
            assert (guess_language(snippet.text) == "python") is (snippet.label != "unaudited"), snippet.name


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("local f = io.open('a', 'r')\nlocal text = f:read('*a')\nprint(#text)", "lua"),
        ("local function add(a, b)\n  return a + b\nend\nprint(add(1, 2))", "lua"),
        ('my $name = shift;\nprint "$name\\n";', "perl"),
    ],
)
def test_a_local_name_of_another_language_is_no_broken_python(text: str, language: str) -> None:
    assert guess_language(text) == language


def test_a_name_that_is_called_local_is_python() -> None:
    assert guess_language("local = 3\nprint(local)") == "python"
    assert guess_language("import os\nlocal = os.getcwd()\nprint local") == "python"
