from nightledger.domain.finding import Severity
from nightledger.text.scanners.scan import scan


def told(text: str) -> list[tuple[str, str]]:
    return [(f.rule, f.message) for f in scan(text, snippets=True) if f.rule.startswith("code.")]


def test_a_snippet_that_would_come_into_memory_is_flagged_with_its_line() -> None:
    text = "- Clean up so:\n\n  ```python\n  import os\n  os.system('rm -r x')\n  ```\n"
    (finding,) = [f for f in scan(text, snippets=True) if f.rule.startswith("code.")]
    assert (finding.rule, finding.severity) == ("code.process", Severity.FLAG)
    assert finding.message == "starts another program, or becomes one: os.system (line 5)"
    assert text[finding.start : finding.end].startswith("  ```python")


def test_a_shell_fence_is_flagged_as_unaudited_and_data_is_not() -> None:
    assert told("```bash\nls\n```\n") == [
        ("code.unaudited", "is no Python: not audited, which is not clean: shell (line 2)")
    ]
    assert told("```json\n{}\n```\n") == []
    assert told("```\n12:30 done\n```\n") == []


def test_inline_code_is_flagged_for_what_it_does_and_not_for_what_it_is() -> None:
    assert [rule for rule, _ in told("Never `os.remove(path)` here.")] == ["code.delete"]
    assert told("Run `make ship` first, then `f(x) ===`.") == []


def test_each_rule_is_told_once_a_snippet() -> None:
    assert len(told("```python\neval('1')\neval('2')\n```\n")) == 1


def test_code_is_looked_for_only_where_it_is_asked_for() -> None:
    text = "```python\neval('1')\n```\n"
    assert not scan(text)
    assert scan(text, snippets=True)
    assert not scan("Backups run at four.", snippets=True)


def test_a_name_of_bytes_that_are_no_utf8_is_told_as_a_record_may_hold_it() -> None:
    (one,) = told('%%YC\udcff x = open("f")\n')
    assert one[1].endswith("notebook: %%YC\\xff (line 1)")


def test_a_snippet_that_holds_a_secret_is_flagged_without_names() -> None:
    key = "AKIA" + "QZ7XW4NB2MLKJH5G"
    (plain,) = told("```python\n%fetch_it x\n```\n")
    (hidden,) = told(f"```python\n%{key} x\n```\n")
    assert plain[1].endswith("from a notebook: %fetch_it (line 2)")
    assert hidden[1].endswith("from a notebook (line 2)")
    beside = told(f"```python\n%fetch_it x\n```\n\nThe key is {key}.\n")
    assert beside == [plain], "a secret elsewhere hides nothing of a snippet without one"


def test_a_value_that_a_larger_text_tells_is_a_secret_in_a_snippet_too() -> None:
    text = "```python\n%cd zebra77hatch\n```\n"
    found = scan(text, snippets=True, told=frozenset({"zebra77hatch"}))
    assert told(text)[0][1].endswith("from a notebook: %cd (line 2)")
    assert {f.rule.partition(".")[0] for f in found} == {"code", "secret"}
    assert not any("%cd" in f.message for f in found)


def test_a_name_without_end_is_told_by_its_beginning() -> None:
    (one,) = told("```python\n%" + "x" * 5000 + "\n```\n")
    assert len(one[1]) < 200
