import json

from nightledger.text.code.snippets import audit_document


def test_a_script_is_one_part_in_the_language_of_its_name() -> None:
    (part,) = audit_document("eval('1')", "a.py")
    assert [finding.rule for finding in part.audited.findings] == ["code.run"]
    (shell,) = audit_document("x = 1", "a.sh")
    assert shell.audited.language == "shell"


def test_markdown_is_audited_snippet_by_snippet() -> None:
    text = "# A\n\n```python\neval('1')\n```\n\n```sh\nls\n```\n"
    for name in ("a.md", "-"):
        parts = audit_document(text, name)
        assert [(part.line, part.audited.language) for part in parts] == [(4, "python"), (8, "shell")]
    assert audit_document("Only words.", "a.md") == ()


def test_python_with_a_fence_in_its_docstring_is_python() -> None:
    (part,) = audit_document('"""\n```\nx\n```\n"""\nimport os\nos.system("x")\n')
    assert [finding.rule for finding in part.audited.findings] == ["code.process"]


def test_a_notebook_is_audited_cell_by_cell() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# eval"]},
        {"cell_type": "code", "source": ["import os\n", "os.system('x')"]},
        {"cell_type": "code", "source": "!ls"},
    ]
    parts = audit_document(json.dumps({"cells": cells}), "a.ipynb")
    assert [part.where for part in parts] == ["cell 2", "cell 3"]
    assert [f.rule for part in parts for f in part.audited.findings] == ["code.process", "code.notebook"]


def test_a_broken_or_huge_notebook_is_not_clean() -> None:
    for text in ('{"cell_type": 1', '{"cells": 3, "cell_type": 1}', '{"cell_type": ' + "[" * 100_000):
        (part,) = audit_document(text)
        assert not part.audited.audited
    (huge,) = audit_document('{"cell_type": "' + "a" * 3_000_000 + '"}')
    assert [finding.rule for finding in huge.audited.findings] == ["code.too_large"]
