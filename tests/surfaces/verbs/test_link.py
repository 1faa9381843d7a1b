from pathlib import Path

from tests.linking import line, outcome
from tests.surfaces.console import Console


def test_bad_lines_are_named_by_file_and_line(console: Console) -> None:
    Path(console.home.outcomes).write_bytes(b"{}\n" * 30 + line(outcome(1)) + b"half")
    said = console.run("link").err.splitlines()
    assert said[0].startswith("memory/system/outcome-records.jsonl:1 is no outcome: ")
    assert said[20] == "10 more lines of memory/system/outcome-records.jsonl without an outcome"
    assert said[21].endswith("is unfinished; it is read once the logger has closed it")
