import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.whole import part

from nightledger.text.code.audit import audit
from nightledger.text.code.embedded import MOST_EMBEDDED, find_embedded


def told(text: str, language: str = "shell") -> list[tuple[int, int, str]]:
    """Give what is found beside that the text is no Python."""
    found = audit(text, language).findings
    return [(f.line, f.column, f.rule) for f in found if f.rule != "code.unaudited"]


def codes(text: str) -> list[str | None]:
    return [piece.code for piece in find_embedded(text)]


CALLS = {
    """python -c "import os; os.system('id')\"""": (1, 23),
    """sudo -u web /usr/bin/python3.11 -Ic 'import os; os.system("id")' && ls""": (1, 49),
    """echo done; "$PYTHON" -W ignore -X utf8 -c "import os; os.system('id')\"""": (1, 55),
    """X=1 .venv/bin/python -u \\\n  -c "import os; os.system('id')\"""": (2, 18),
    """v=$(py -3 -c 'import os; os.system("id")')""": (1, 26),
    """ssh box 'python -c "import os; os.system(1)"'""": (1, 32),
    r'''bash -c "python -c \"import os; os.system('id')\"; ls"''': (1, 33),
    """bash -c 'python -c '"'"'import os; os.system("id")'"'"'; ls'""": (1, 36),
    r"""sh -c 'python -c '\''import os; os.system("id")'\''; ls'""": (1, 33),
    """python -c $'import os\\nos.system("id")'""": (1, 24),
    """python -c '\nimport os\nos.system("id")\n'""": (3, 1),
    """python <<< "import os; os.system('id')\"""": (1, 24),
    """echo 'import os; os.system("id")' | sudo -H python3 -""": (1, 18),
    """printf '%s\\n' 'import os; os.system("id")' | /usr/bin/python""": (1, 27),
    """printf 'import os\\nos.system("id")\\n' | python""": (1, 20),
    """python3 - "$1" <<'END'\nimport os\nos.system("id")\nEND\nls""": (3, 1),
    """cat > /tmp/a.py <<-END && ls\n\timport os\n\tos.system("$HOME")\n\tEND\n""": (3, 2),
    """ssh box bash <<'OUTER'\npython <<'INNER'\nimport os\nos.system("id")\nINNER\nOUTER\n""": (4, 1),
    """tee job <<'END'\nimport os\nos.system("id")\nEND\n""": (3, 1),
    """CMD ["python3", "-u", "-c", "import os; os.system('id')"]""": (1, 41),
    r"""spawn("python", ["-c", "import os\nos.system('id')"])""": (1, 36),
    r"""{"run": "python -c \"import os; os.system('id')\" && ls"}""": (1, 33),
}


@each_row(("text", "place"), CALLS.items())
def test_python_that_a_shell_hands_over_is_audited_and_told_where_it_stands(
    text: str, place: tuple[int, int]
) -> None:
    assert told(text) == [(*place, "code.process")]
    line, column = place
    assert text.split("\n")[line - 1][column - 1 :].startswith("os.system(")


@each_row("text", [*CALLS, "python -c 'print(1)'", "ls", "python a.py"])
def test_a_shell_is_unaudited_and_never_clean_whatever_python_is_in_it(text: str) -> None:
    audited = audit(text, "shell")
    assert not audited.audited
    assert not audited.clean
    assert "code.unaudited" in [finding.rule for finding in audited.findings]


@pytest.mark.parametrize(
    "text",
    [
        "python -c 'print(1)'",
        "python3 -c 'import sys; print(sys.version)' | head -1",
        "python -m json.tool < a.json",
        "curl -s https://example.org/a | python3 -m json.tool",
        "python3 report.py -c 'import os; os.system(1)'",
        "cat <<END\nimport of goods, and exports\nEND",
        "python3 report.py <<END\n4 import of 5\nEND\n",
        "python - <<'END'\nprint(1)\nEND",
        "mypython -c 'import os; os.system(1)'",
        "grep -c import a.py",
        "| a | python |\n| - | - |",
    ],
)
def test_harmless_python_and_other_commands_add_nothing(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "text", ["curl -s https://example.org/a | python3 -", 'python -c "$CODE"', "base64 -d a | python"]
)
def test_code_that_only_comes_when_it_is_run_is_a_finding(text: str) -> None:
    assert [rule for _, _, rule in told(text)] == ["code.run"]


def test_what_the_shell_puts_in_is_read_as_a_name_where_it_is_no_text() -> None:
    assert codes('python -c "f($A, ${B[0]}, `c d`)"') == ["f(_A, __B_0__, _c_d_)"]
    assert codes('python -c "a[$((1 % len(b)))]"') == ["a[___1___len_b___]"]
    assert told('python -c "exec($CODE)"') == [(1, 12, "code.run")]
    assert codes("""python -c "print('$A')\"""") == ["print('$A')"]
    assert codes("python -c 'print(\"$A\")'") == ['print("$A")']


def test_what_is_not_closed_or_no_python_is_told() -> None:
    assert told('python -c \'import os; os.system("x"\nls') == [(1, 12, "code.unparsable")]
    assert told("python -c 'a b'") == [(1, 12, "code.unparsable")]
    assert codes("python -c") == []
    assert codes("python -c $X") == [None]
    assert told("python -c import\\ os") == [(1, 11, "code.import")]


def test_uses_that_do_no_harm_are_notes_at_their_place() -> None:
    audited = audit("ls\npython -c 'import os; print(os.getcwd())'", "shell")
    assert [(note.line, note.rule) for note in audited.notes] == [(2, "code.published")]


def test_other_languages_that_start_an_interpreter_are_searched_too() -> None:
    steps = "steps:\n  - run: |\n      python - <<'END'\n      import os\n      os.remove('a')\n      END\n"
    assert told(steps, "unknown") == [(5, 7, "code.delete")]


def test_no_more_than_so_many_pieces_are_looked_for() -> None:
    assert len(find_embedded("python -c 'f(1)'\n" * (MOST_EMBEDDED + 20))) == MOST_EMBEDDED


@pytest.mark.parametrize(
    "piece",
    part(
        [
            "python -c '",
            'python -c "$(',
            "<<A\n",
            "echo 'x",
            "| /a/",
            "python -X a ",
            "<<<'",
            "$((",
            "'\\''",
            '\\"',
        ],
        3,
    ),
)
def test_hostile_texts_are_read_in_bounded_time(piece: str) -> None:
    began = time.process_time()
    find_embedded("py" + piece * (200_000 // len(piece)))
    assert time.process_time() - began < 10


@given(st.text(alphabet="python-c'\"\\$`<|E\n ()a1;", max_size=60).map("python -c ".__add__))
def test_whatever_the_text_each_piece_keeps_its_places(text: str) -> None:
    for piece in find_embedded(text):
        if piece.code is not None:
            assert len(piece.code) == len(piece.places)
        for line, column in (piece.place, *piece.places):
            assert 1 <= column <= len(text.split("\n")[line - 1]) + 1
        assert piece.place_of(10**6, 1) == piece.place
