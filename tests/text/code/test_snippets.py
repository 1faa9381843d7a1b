import pytest

from nightledger.text.code.snippets import find_snippets


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


def test_a_fence_that_is_not_closed_goes_on_to_the_end() -> None:
    assert found("```python\nf()\ng()\n") == [("python", 2, "f()\ng()\n")]
    assert found("````python\n```\nf()\n````\n")[0][2] == "```\nf()\n"


@pytest.mark.parametrize("info", ["", "text", "json"])
def test_a_fence_without_a_language_is_told_by_shape(info: str) -> None:
    assert found(f"```{info}\nimport os\nos.system('id')\n```\n")[0][0] == "python"
    assert found(f"```{info}\n12:30 all done\n```\n") == []
    assert found(f"```{info}\n\n```\n") == []


def test_an_indented_block_is_a_snippet_where_it_is_python() -> None:
    assert found("Do this:\n\n    import os\n    os.remove('a')\n\nand rest.\n") == [
        ("python", 3, "    import os\n    os.remove('a')\n\n")
    ]
    assert found("- a\n    - b (c)\n") == []
    assert found("Words:\n\n    just words, and more of them\n") == []


def test_inline_code_is_a_snippet_where_it_calls_something() -> None:
    text = "Use `os.remove(p)` or `make ship`, not ``eval(x)``."
    assert [(s.text, text[s.start : s.end]) for s in find_snippets(text)] == [
        ("os.remove(p)", "os.remove(p)"),
        ("eval(x)", "eval(x)"),
    ]


def test_a_text_that_is_nothing_but_code_is_one_snippet() -> None:
    assert found("- os.system('id')\n")[0][0] == "python"
    assert found("import os\nos.system('id')")[0][0] == "python"


@pytest.mark.parametrize(
    "text",
    [
        "Backups run at 04:00 (UTC).",
        "- call Ada(!) back",
        "see https://example.org/a(b)",
        "",
        "cost(s) of the trip",
    ],
)
def test_prose_is_no_snippet(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(("part", "tail"), [("~", "`"), ("`", " `"), ("|", ""), ("a|", "")])
def test_signs_without_end_are_looked_through_once(part: str, tail: str) -> None:
    assert find_snippets(part * 100_000 + tail) == ()
