from tests.rows import each_row

from nightledger.text.code.paths import MOST_CHARACTERS, NameList, canonical, matches


@each_row(
    ("path", "name"),
    [
        ("os.system", "os.system"),
        ("posix.system", "os.system"),
        ("tempfile._os.system", "os.system"),
        ("os.path.os.system", "os.system"),
        ("a.b.subprocess.run", "subprocess.run"),
        ("socket.socket", "socket.socket"),
        ("asyncio.socket.socket.bind", "socket.socket.bind"),
        ("asyncio.subprocess.PIPE", "asyncio.subprocess.PIPE"),
        ("__builtins__.eval", "builtins.eval"),
        ("x().os.system", "x().os.system"),
        ("pathlib.Path.home().joinpath().unlink", "pathlib.Path().unlink"),
        ("pathlib.PosixPath().parent.parent.write_text", "pathlib.Path().write_text"),
        ("pathlib.Path().glob()[].unlink", "pathlib.Path().unlink"),
        ("_io.open", "io.open"),
        (".os.system", ".os.system"),
        ("a" * (MOST_CHARACTERS + 1), ""),
    ],
)
def test_a_name_is_told_however_it_was_reached(path: str, name: str) -> None:
    assert canonical(path) == name


def test_a_star_stands_for_any_ending() -> None:
    assert matches("os.path.join", ("os.path*",))
    assert not matches("os.pathsep", ("os.path",))


def test_the_exact_name_wins_and_then_the_longest() -> None:
    names = NameList((("a", ("os.*",)), ("b", ("os.ex*",)), ("c", ("os.exit",))))
    assert [names.rule(path) for path in ("os.x", "os.execv", "os.exit", "sys.x")] == ["a", "b", "c", ""]
