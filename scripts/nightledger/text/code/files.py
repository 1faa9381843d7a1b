"""Rules about files: opened for writing, written where it stays, secrets read.

Invariant: pure; a path that is not told is taken for one that may be anything.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from nightledger.text.code.folding import HOLE, TEMPORARY
from nightledger.text.code.look import Hit, Look, argument, note
from nightledger.text.code.names import METHODS
from nightledger.text.code.paths import PATH
from nightledger.text.code.rule import CodeSeverity

_MODE = re.compile(r"[rwaxbtU+]{1,4}\Z")
_WRITES = re.compile(r"[wax+]")
_STAYS = re.compile(
    r"\.(?:bash|zsh|csh|tcsh|ksh)rc|\.(?:bash_|z)?(?:profile|login|logout)|\.zshenv|\.config/fish|\.inputrc|\.xinitrc|\.xprofile|\.pam_environment|(?:^|/)rc\.local|^/etc/|^/usr/|^/bin/|^/sbin/|^/lib|^/boot/|^/opt/"
    r"|\.ssh(?:/|$)|authorized_keys|crontab|/cron|anacron|\.git/|\.gitconfig|\.git-templates|systemd/|LaunchAgents|LaunchDaemons|autostart|init\.d|sitecustomize|usercustomize|site-packages|dist-packages|\.pth$"
    r"|\.npmrc|\.pypirc|\.condarc|pip\.conf|\.vimrc|\.emacs|\.tmux\.conf|\.ipython|\.pythonrc|\.jupyter|\.vscode|\.idea|/Startup/|\.desktop$|\.plist$|Makefile$|\.github/|\.pre-commit"
    r"|(?:^|/)(?:MEMORY|SOUL|AGENTS|CLAUDE|IDENTITY|USER|HEARTBEAT|TOOLS)\.md|(?:^|/)memory/|(?:^|/)audit/|\.nightledger|nightledger\.yaml|allowed_signers|consent-graph|constitution\.json|\.claude|\.codex|\.cursor|\.openclaw|mcp\.json",
    re.IGNORECASE,
)
"""Where what is written is run or read again: start-up files, schedules, packages, an agent's own files."""
_SECRETS = re.compile(
    r"\.ssh/(?!known_hosts)|(?:^|/)id_(?:rsa|dsa|ecdsa|ed25519)|\.aws/|\.azure/|gcloud/|application_default_credentials|\.netrc|_netrc|\.git-credentials|\.docker/config\.json|\.kube/config|\.pgpass|\.my\.cnf|\.gnupg|secring"
    r"|/etc/(?:shadow|passwd|sudoers|gshadow)|cookies\.sqlite|Login Data|/Cookies$|key[34]\.db|logins\.json|signons\.sqlite|Keychains|login\.keychain|wallet\.dat|\.electrum|\.bash_history|\.zsh_history|\.python_history|_history$"
    r"|/proc/(?:[^/]+)/(?:environ|mem|maps)|\.password-store|\.vault-token|\.pypirc|\.npmrc|\.config/(?:gh|hub|rclone|op)|(?:^|/)\.env(?:\.[a-z]+)?$|log-ed25519|machine-ed25519|\.config/nightledger|credentials\.json|service[-_]account.*\.json|\.pem$|\.p12$|\.kdbx$",
    re.IGNORECASE,
)
"""Where keys, passwords, cookies and histories lie."""
_RECORDS = re.compile(
    r"\.(?:csv|tsv|json|jsonl|ndjson|geojson|parquet|feather|png|svg|jpe?g|gif|webp|pdf|xlsx|ods|npy|npz|ics|gz|log|txt)\Z",
    re.IGNORECASE,
)
_PLAIN_TEXT = re.compile(r"\.(?:log|txt|gz)\Z", re.IGNORECASE)
_OUTSIDE = re.compile(r"^[/~\\]|\.\.|\$|^[A-Za-z]:")
_OPENERS = {
    "builtins.open": 1, "io.open": 1, "codecs.open": 1, "gzip.open": 1, "bz2.open": 1, "lzma.open": 1, "io.FileIO": 1, "aiofiles.open": 1, "os.fdopen": 1, "wave.open": 1, "aifc.open": 1, "sunau.open": 1, "zipfile.ZipFile": 1,
    "tarfile.open": 1, "tarfile.TarFile": 1, "gzip.GzipFile": 1, "bz2.BZ2File": 1, "lzma.LZMAFile": 1, "pathlib.Path().open": 0, "pathlib.Path.open": 1, "h5py.File": 1, "builtins.file": 1, "anyio.open_file": 1,
    "tokenize.open": -1, "io.open_code": -1, "fsspec.open": 1, "smart_open.open": 1, "tempfile.NamedTemporaryFile": -1,
}  # fmt: skip
"""What opens a file, with the place of the mode among its arguments."""
_TABLES = {
    "dbm.open": "r", "dbm.dumb.open": "c", **{f"{module}.open": "r" for module in ("dbm.gnu", "dbm.ndbm", "dbm.sqlite3", "_gdbm", "_dbm", "anydbm")},
}  # fmt: skip
"""What opens a file of keys and values, with the flag that it takes where none is given."""
_REWRITERS = ("fileinput.input", "fileinput.FileInput")
"""With ``inplace``, what is printed replaces the files that are read."""
_RECORD_WRITERS = (
    "json.dump",
    "csv.writer",
    "csv.DictWriter",
    "yaml.safe_dump",
    "tomli_w.dump",
    "plistlib.dump",
)
_WRITER = re.compile(
    r"(?:(?:NamedTemporaryFile|mkstemp|mkdtemp)\Z|to_|save|write|dump|extract|export|touch|mkdir|copy|rename|replace|move|(?:\w*FileHandler|basicConfig|connect)\Z)"
)
_QUIET = re.compile(
    r"(?:builtins\.(?:print|len|str|repr|isinstance)|logging\.(?:debug|info|warning|error|critical|exception|log|getLogger)|<text>\.|re\.|json\.loads|textwrap\.|hashlib\.|fnmatch\.)"
)


def file_hits(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Give what a call does to files that somebody should have seen."""
    paths = look.paths(call.func)
    for path in paths:
        if path in _OPENERS:
            yield from _opened(call, path, look)
        elif path.endswith((".extractall", ".extract")):
            yield from _extracted(call, path, look)
        else:
            yield from _opened_otherwise(call, path, look)
    yield from _methods(call, paths, look)
    yield from _places(call, paths, look)


def _opened_otherwise(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    """Judge what opens files and has no mode."""
    if path == "os.open":
        yield from _opened_by_flags(call, look)
    elif path in _REWRITERS:
        yield from _rewritten(call, path, look)
    elif path in _TABLES:
        flag = argument(call, 1, "flag")
        flags = (_TABLES[path],) if flag is None else look.texts(flag) or (HOLE,)
        if any(not text.startswith("r") for text in flags):
            yield written(_where(call, path, look), path)


def stays(place: str) -> bool:
    """Tell whether what is written to a path is run or read again."""
    return bool(_STAYS.search(place))


def written(places: Sequence[str], what: str) -> Hit:
    """Judge a write by where it goes: what stays is high, a data file beside the work is none.

    Args:
        places: What the path may be; () when nothing is told.
        what: The name of the function.
    """
    if any(_STAYS.search(place) for place in places):
        return Hit(rule="code.startup", what=what)
    if places and all(_is_own(place) for place in places):
        return note(what)
    return Hit(rule="code.write", what=what)


def _is_own(place: str) -> bool:
    """Tell whether a path is below a temporary folder of the snippet's own, or a data file beside it."""
    if place.startswith(TEMPORARY) and ".." not in place:
        return True
    if HOLE in place.rpartition("/")[2].rpartition(".")[2] or place.startswith(HOLE):
        return False
    beside = not _OUTSIDE.search(place.removeprefix("/tmp/").removeprefix("./"))  # noqa: S108 - a place that snippets name
    return (
        beside
        and bool(_RECORDS.search(place))
        and (not _PLAIN_TEXT.search(place) or not place.startswith("/"))
    )


def _where(call: ast.Call, path: str, look: Look) -> tuple[str, ...]:
    if path.startswith(PATH) and isinstance(call.func, ast.Attribute):
        return look.texts(call.func.value)
    place = argument(call, 0, "file")
    found = look.texts(place)
    if not found and any(p.startswith("tempfile.") for p in look.paths(place)):
        return (TEMPORARY,)
    return found


def _opened(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    place = _OPENERS[path]
    mode = argument(call, place, "mode") if place >= 0 else None
    modes = look.texts(mode)
    unpacked = any(keyword.arg is None for keyword in call.keywords) or any(
        isinstance(a, ast.Starred) for a in call.args
    )
    if mode is None and unpacked and path == "builtins.open":
        yield Hit(rule="code.write", what=f"{path} with arguments that are not told")
    elif mode is not None and (not modes or any(_WRITES.search(m) or HOLE in m for m in modes)):
        places = _where(call, path, look)
        yield note(path) if not places and _takes_records(call, look) else written(places, path)
    elif path == "builtins.open":
        yield (
            Hit(rule="code.builtin", what="open") if isinstance(look.parent(call), ast.Expr) else note("open")
        )


def _takes_records(call: ast.Call, look: Look) -> bool:
    """Tell whether a function writes nothing but records (JSON, CSV) where its caller says; nobody calls it here."""
    place = argument(call, 0, "file")
    if not isinstance(place, ast.Name) or not look.is_parameter(place):
        return False
    above = look.parent(call)
    if not (isinstance(above, ast.withitem) and isinstance(above.optional_vars, ast.Name)):
        return _writes_records(above, look)
    name = above.optional_vars.id
    uses = [
        n
        for n in ast.walk(look.tree)
        if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
    ]
    return bool(uses) and all(_writes_records(look.parent(use), look) for use in uses)


def _writes_records(node: ast.AST | None, look: Look) -> bool:
    return isinstance(node, ast.Call) and any(path in _RECORD_WRITERS for path in look.paths(node.func))


def _opened_by_flags(call: ast.Call, look: Look) -> Iterator[Hit]:
    flags = argument(call, 1, "flags")
    names = (
        [
            n.attr if isinstance(n, ast.Attribute) else n.id
            for n in ast.walk(flags)
            if isinstance(n, (ast.Attribute, ast.Name))
        ]
        if flags
        else []
    )
    reading = {"O_RDONLY", "O_CLOEXEC", "O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "os"}
    if flags is None or not names or not reading.issuperset(names):
        yield written(_where(call, "os.open", look), "os.open")


def _rewritten(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    """Judge files that are rewritten while they are read; a pattern counts by what it names."""
    inplace = argument(call, 1, "inplace")
    unpacked = any(keyword.arg is None for keyword in call.keywords)
    if not unpacked and (inplace is None or (isinstance(inplace, ast.Constant) and not inplace.value)):
        return
    given = argument(call, 0, "files")
    parts = [n for n in look.below(given) if isinstance(n, ast.expr)] if given is not None else []
    named = tuple(text for part in parts for text in look.texts(part))
    told = isinstance(given, (ast.Constant, ast.List, ast.Tuple, ast.BinOp)) or bool(look.texts(given))
    yield written(named if told or any(map(stays, named)) else (), path)


def _extracted(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    if not path.startswith(("tarfile.", "zipfile.", "shutil.")):
        return
    places = look.texts(argument(call, 0 if path.endswith("all") else 1, "path"))
    loose = path.startswith("tarfile.") and argument(call, -1, "filter") is None
    if path.endswith("all"):  # into the folder where it is run: over whatever lies there
        loose = loose or argument(call, 0, "path") is None or any(p in ("", ".", "./") for p in places)
    if any(_STAYS.search(p) for p in places):
        yield Hit(rule="code.startup", what=path)
    elif loose or any(_OUTSIDE.search(p) and not p.startswith(TEMPORARY) for p in places):
        yield Hit(rule="code.write", what=path)


def _methods(call: ast.Call, paths: tuple[str, ...], look: Look) -> Iterator[Hit]:
    """Judge methods whose name says enough, on objects of which nothing else is known."""
    if not isinstance(call.func, ast.Attribute):
        return
    name = call.func.attr
    on_path = any(path.startswith(PATH) for path in paths)
    rule = METHODS.get(name)
    if rule is not None and (
        on_path or (name not in look.defined and not any(p.startswith("<text>") for p in paths))
    ):
        places = look.texts(call.func.value)
        own = places and all(_is_own(p) for p in places)
        if rule == "code.write":
            yield written(places, name)
        elif not (own and all(p.startswith(TEMPORARY) for p in places)):
            yield Hit(rule=rule, what=name)
    elif name == "open" and not paths:
        modes = look.texts(argument(call, 0, "mode"))
        if any(_MODE.match(m) and _WRITES.search(m) for m in modes):
            yield Hit(rule="code.write", what="open")
    elif name == "touch" and on_path:
        yield written(look.texts(call.func.value), name)


def _places(call: ast.Call, paths: tuple[str, ...], look: Look) -> Iterator[Hit]:
    """Judge paths that a call is given: where secrets lie, and where what is written stays."""
    if any(_QUIET.match(path) for path in paths):
        return
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    for given in (*call.args, *(keyword.value for keyword in call.keywords)):
        for text in look.texts(given):
            if len(text) < 400 and "\n" not in text and _SECRETS.search(text):  # noqa: PLR2004 - longer than any path
                yield Hit(rule="code.secret", what=name or (paths[0] if paths else ""))
            elif _WRITER.match(name) and _STAYS.search(text) and " " not in text and "/" in text:
                yield Hit(rule="code.startup", what=name)


def path_hits(node: ast.BinOp, look: Look) -> Iterator[Hit]:
    """Judge a path that is put together with ``/``."""
    if isinstance(node.op, ast.Div) and any(_SECRETS.search(text) for text in look.texts(node)):
        yield Hit(rule="code.secret", severity=CodeSeverity.MEDIUM, what="pathlib.Path")
