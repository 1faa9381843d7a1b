from nightledger.text.code.shell_words import expand_chars


def test_what_a_shell_replaces_is_told_from_what_it_leaves() -> None:
    text = "${a ${b} ${c\n${d}e}"
    chars = expand_chars(text, 0, len(text))
    assert chars.text == text
    assert "".join("x" if so else "." for so in chars.expanded) == "xxxxxxxx.....xxxx.."


def test_braces_without_an_end_are_looked_for_once_a_line() -> None:
    text = "${" * 200_000 + "\n}"
    assert not any(expand_chars(text, 0, len(text)).expanded)
