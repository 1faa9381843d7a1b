import json
from pathlib import Path

import pytest
from bench.audit_corpus import LABELS, Snippet, held_out, read_corpus
from bench.bench_audit import is_right, main, report


def snippet(label: str, text: str, *, hidden: bool = False) -> Snippet:
    return Snippet(name="001-a", label=label, text=text, held_out=hidden)


def test_the_corpus_has_at_least_sixty_of_each_kind_in_two_halves() -> None:
    corpus = read_corpus()
    for label, least in (("hostile", 60), ("benign", 60), ("unaudited", 10)):
        halves = [s.held_out for s in corpus if s.label == label]
        assert len(halves) >= least
        assert abs(sum(halves) * 2 - len(halves)) <= 1


def test_the_split_depends_on_names_alone() -> None:
    assert held_out(["a", "b", "c", "d"]) == held_out(["d", "c", "b", "a"])
    assert held_out([]) == frozenset()


def test_not_audited_is_right_for_no_python_snippet() -> None:
    assert is_right(snippet("hostile", "eval('1')"))
    assert not is_right(snippet("hostile", "def f(:"))
    assert not is_right(snippet("benign", "def f(:"))
    assert is_right(snippet("benign", "print(1)"))
    assert is_right(snippet("unaudited", "ls -l"))
    assert not is_right(snippet("unaudited", "print(1)"))


def test_misses_of_the_held_out_half_are_counted_and_not_named() -> None:
    both = (snippet("hostile", "print(1)"), snippet("hostile", "print(2)", hidden=True))
    lines = report(both, is_right, show_held_out=False)
    assert lines[0].startswith("development: hostile 0 of 1 right (0.0%)")
    assert lines[1].startswith("held out: hostile 0 of 1 right (0.0%)")
    assert lines[2:] == ["  hostile/001-a: python; nothing found"]
    assert len(report(both, is_right, show_held_out=True)) == 4


def test_another_corpus_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.jsonl"
    row = {"set": "own", "name": "001-a", "text": "eval('1')\n"}
    path.write_text("".join(json.dumps({**row, "label": label}) + "\n" for label in LABELS[:2]))
    assert main(["--corpus", str(path), "--set", "own", "--show-held-out"]) == 0
    assert "benign 0 of 1 right" in capsys.readouterr().out
    with pytest.raises(ValueError, match="holds 0 snippets of first"):
        read_corpus(path)
    path.write_text(json.dumps({**row, "label": "odd"}) + "\n")
    with pytest.raises(ValueError, match="holds 0 snippets of own"):
        read_corpus(path, "own")
