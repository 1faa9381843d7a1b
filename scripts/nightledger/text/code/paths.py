"""Canonical names: ``os.system``, however a snippet reached it.

Invariant: pure and linear in the length of the name.
"""

from collections.abc import Iterable

_SAME = {
    "posix": "os", "nt": "os", "_os": "os", "posixpath": "os.path", "ntpath": "os.path", "_io": "io", "_pyio": "io", "__builtin__": "builtins", "__builtins__": "builtins",
    "_builtins": "builtins", "_socket": "socket", "_pickle": "pickle", "cPickle": "pickle", "_sys": "sys", "_shutil": "shutil", "_subprocess": "subprocess", "subprocess32": "subprocess",
    "urllib2": "urllib.request", "_thread": "threading",
}  # fmt: skip
_BORROWED = frozenset(
    {
        "os",
        "sys",
        "subprocess",
        "builtins",
        "shutil",
        "socket",
        "importlib",
        "ctypes",
        "pickle",
        "marshal",
        "runpy",
        "pty",
    }
)
"""Modules that others import, so that they can be reached through them (``tempfile._os``)."""
_OWN = ("asyncio.subprocess", "asyncio.subprocess.", "multiprocessing.shared", "email.", "django.")
_PATH_STEPS = frozenset(
    {"parent", "parents[]", "resolve()", "absolute()", "expanduser()", "joinpath()", "with_name()", "with_suffix()", "with_stem()", "home()", "cwd()", "relative_to()",
     "rename()", "replace()", "glob()[]", "rglob()[]", "iterdir()[]", "walk()[]", "__truediv__()", "readlink()"}
)  # fmt: skip
_PATHS = (
    "pathlib.PosixPath",
    "pathlib.WindowsPath",
    "pathlib.PurePath",
    "pathlib.PurePosixPath",
    "pathlib._local.Path",
)
PATH = "pathlib.Path()"
"""Any path object."""
MOST_CHARACTERS = 400
"""No name worth following is longer."""


def canonical(path: str) -> str:
    """Give the name under which the lists know ``path``; "" for one of absurd length."""
    if len(path) > MOST_CHARACTERS:
        return ""
    parts = path.split(".")
    parts[0:1] = _SAME.get(parts[0], parts[0]).split(".")
    if not path.startswith(_OWN):
        for at in range(len(parts) - 1, 0, -1):
            name = _SAME.get(parts[at], parts[at])
            if name in _BORROWED and "(" not in "".join(parts[:at]) and parts[at - 1] not in ("", name):
                parts = [name, *parts[at + 1 :]]
                break
    return _as_path(".".join(parts))


def _as_path(path: str) -> str:
    """Shorten the ways from one path object to another."""
    for name in _PATHS:
        if path.startswith(name):
            path = "pathlib.Path" + path[len(name) :]
    if path.startswith(("pathlib.Path.home()", "pathlib.Path.cwd()")):
        path = PATH + path[path.index(")") + 1 :]
    while path.startswith(PATH + "."):
        step, _, rest = path[len(PATH) + 1 :].partition(".")
        if step not in _PATH_STEPS:
            break
        path = PATH + ("." + rest if rest else "")
    return path


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Tell whether ``path`` is one of ``patterns``; a star stands for any ending."""
    return any(path.startswith(p[:-1]) if p.endswith("*") else path == p for p in patterns)


class NameList:
    """Patterns with what they stand for; the exact one wins, then the longest."""

    def __init__(self, rows: Iterable[tuple[str, tuple[str, ...]]]) -> None:
        """Index the patterns by their first word."""
        self._exact: dict[str, str] = {}
        self._starred: dict[str, list[tuple[str, str]]] = {}
        for rule, patterns in rows:
            for pattern in patterns:
                if pattern.endswith("*"):
                    head = pattern[:-1]
                    self._starred.setdefault(head.split(".")[0], []).append((head, rule))
                else:
                    self._exact[pattern] = rule

    def rule(self, path: str) -> str:
        """Give what ``path`` stands for; "" where no pattern names it."""
        if path in self._exact:
            return self._exact[path]
        starred = self._starred.get(path.split(".", maxsplit=1)[0], ())
        found = [(len(head), rule) for head, rule in starred if path.startswith(head)]
        return max(found)[1] if found else ""
