import io

from nightledger.demo.narrator import WIDTH, Narrator


def terminal() -> io.StringIO:
    """A stream that says it is a terminal."""
    stream: io.StringIO = type("Terminal", (io.StringIO,), {"isatty": lambda _: True})()
    return stream


def told(*texts: str) -> list[str]:
    stream = io.StringIO()
    narrator = Narrator(stream)
    for text in texts:
        narrator.output(text)
    return stream.getvalue().splitlines()


def test_no_line_is_wider_than_the_page() -> None:
    lines = told("x" * 500, "+ " + "word " * 60)
    assert all(len(line) <= WIDTH for line in lines)


def test_folding_loses_no_character() -> None:
    long = "".join(chr(97 + n % 26) for n in range(500))
    first, *rest = told(long)
    assert first + "".join(line.removeprefix("    ") for line in rest) == long


def test_what_is_left_out_is_counted() -> None:
    stream = io.StringIO()
    Narrator(stream).output("a\n" * 50, limit=10)
    assert stream.getvalue().splitlines()[-1] == "  ... 40 more lines ..."


def test_a_command_that_said_nothing_shows_nothing() -> None:
    assert told("\n") == []


def test_without_a_terminal_there_is_no_control_sequence() -> None:
    stream = io.StringIO()
    narrator = Narrator(stream)
    narrator.heading("Morning")
    narrator.command(("verify",), "next day")
    narrator.item("found", "a fact " * 30)
    narrator.output("+ added\n- removed\n@@ here @@\n")
    assert "\x1b" not in stream.getvalue()
    assert all(len(line) <= WIDTH for line in stream.getvalue().splitlines())


def test_on_a_terminal_markup_in_a_file_is_shown_and_not_obeyed() -> None:
    stream = terminal()
    Narrator(stream).output("+ [bold]not bold[/bold]")
    assert "[bold]not bold[/bold]" in stream.getvalue()


def test_the_end_of_a_long_output_can_be_kept() -> None:
    stream = io.StringIO()
    Narrator(stream).output("".join(f"{n}\n" for n in range(10)), limit=2, tail=1)
    assert stream.getvalue().splitlines() == ["0", "1", "  ... 7 more lines ...", "9"]


def review(count: int) -> str:
    asked = "".join(
        f"[{n}/{count}] add\n+ entry {n}\n  q quit > n\n  reason > no\n" for n in range(1, count + 1)
    )
    return f"{count} wait\n\n{asked}Rejected {count} change(s).\n"


def test_a_review_is_cut_between_two_changes_and_keeps_its_end() -> None:
    stream = io.StringIO()
    Narrator(stream).questions(review(5), limit=12)
    lines = stream.getvalue().splitlines()
    assert [line for line in lines if line.startswith("[")] == ["[1/5] add", "[2/5] add"]
    assert lines[-2:] == ["  ... and 3 more, each asked in the same way ...", "Rejected 5 change(s)."]


def test_a_short_review_is_shown_whole() -> None:
    stream = io.StringIO()
    Narrator(stream).questions(review(2), limit=50)
    assert stream.getvalue() == review(2)


def test_a_review_that_asked_nothing_is_shown_as_it_is() -> None:
    stream = io.StringIO()
    Narrator(stream).questions("Nothing waits.\n", limit=50)
    assert stream.getvalue() == "Nothing waits.\n"


def test_a_list_item_of_several_lines_is_one_line() -> None:
    stream = io.StringIO()
    Narrator(stream).item("add", "one\n- two")
    assert stream.getvalue().count("\n") == 1
