import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus

from nightledger.domain.errors import ConfigurationError
from nightledger.domain.finding import Finding, Severity
from nightledger.text.scanners.rule import Table, parse_rule_file, python_pattern

HEAD = "[[rules]]\nid = 'badge'\nregex = 'HB-([0-9]{6})'\nkeywords = ['HB-']\n"


def find(rules: str, text: str) -> list[Finding]:
    return [*Table(parse_rule_file(rules.encode(), where="rules.toml")).find(text)]


def found(rules: str, text: str) -> list[str]:
    return [text[finding.start : finding.end] for finding in find(rules, text)]


def refusal(text: str | bytes) -> str:
    with pytest.raises(ConfigurationError) as caught:
        parse_rule_file(text.encode() if isinstance(text, str) else text, where="rules.toml")
    return str(caught.value)


def test_a_rule_blocks_what_it_finds_near_its_keyword_in_any_case() -> None:
    (finding,) = find(HEAD, "the badge HB-482913 opens")
    assert (finding.rule, finding.severity) == ("secret.own.badge", Severity.BLOCK)
    assert finding.message == "matches badge of the operator's rule file"
    assert found(HEAD.replace("HB-([", "(?i)hb-(["), "badge Hb-482913") == ["Hb-482913"]


def test_a_value_of_too_little_entropy_is_no_secret() -> None:
    assert found(HEAD + "entropy = 2.0\n", "HB-111111 and HB-482913") == ["HB-482913"]
    grouped = "[[rules]]\nid = 'a'\nregex = '(k)=(\\w+)'\nentropy = 2.0\nsecretGroup = 2\n"
    assert found(grouped, "k=aaaa k=abcd1234") == ["k=abcd1234"]
    assert found(grouped.replace("secretGroup = 2\n", ""), "k=abcd1234") == []


@from_corpus("text-scanners-rule_file")
def test_exceptions_of_a_rule_and_of_the_file_excuse_what_they_name(
    exception: str, passes: list[str]
) -> None:
    text = "the porter's HB-482913\nand HB-111111"
    assert found(f"{HEAD}[[rules.allowlists]]\n{exception}\n", text) == passes
    assert found(f"{HEAD}[allowlist]\n{exception}\n", text) == passes


def test_a_file_is_used_whole_or_not_at_all() -> None:
    said = refusal(
        HEAD
        + "[[rules]]\nid = 'open'\nregex = '('\n[[rules]]\nid = 'not a word'\nregex = 'a'\n"
        + "[[rules]]\nid = 'group'\nregex = '(a)'\nsecretGroup = 2\n[[rules]]\nid = 'number'\nregex = 3\n[[rules]]\nregex = 'a[[:thing:]]'\nid = 'class'\n"
    )
    assert said.startswith("rules.toml cannot be used:\n  rule 2 (open): its parentheses are not balanced\n")
    assert "rule 3 (not a word): its id is no short word" in said
    assert "rule 4 (group): it has no group of that number" in said
    assert "rule 5 (number): " in said
    assert "rule 6 (class): " in said


@from_corpus("text-scanners-rule_file")
def test_what_is_no_rule_file_is_refused(text: str | bytes, said: str) -> None:
    assert said in refusal(text)


@from_corpus("text-scanners-rule_file")
def test_patterns_mean_in_python_what_they_meant(pattern: str, finds: str, spares: str) -> None:
    carried = re.compile(python_pattern(pattern))
    assert carried.search(finds)
    assert not carried.search(spares)


@given(text=st.from_regex(r"([a-z]|\\.|\(\?:a\)|\[[a-z]-?\]|\|){0,12}", fullmatch=True))
def test_what_both_write_alike_stays_as_it_is(text: str) -> None:
    assert python_pattern(text) == text
