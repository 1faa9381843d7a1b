"""Rules about ways around a name: attributes by name, imports by function, walks over objects, hooks.

Invariant: pure; a name that cannot be told where one is looked up in a module that does harm is a
finding, because there is no reason to hide it.
"""

import ast
import re
from collections.abc import Callable, Iterator

from nightledger.text.code.denylist import IMPORTS
from nightledger.text.code.folding import HOLE, TEMPORARY, Text
from nightledger.text.code.look import Hit, Look, argument, note
from nightledger.text.code.names import METHODS, RUN_CALLED, TELLTALE, WALKS
from nightledger.text.code.paths import PATH, canonical
from nightledger.text.code.rule import CodeSeverity

GUARDED = frozenset(
    {
        *IMPORTS,
        "builtins",
        "importlib",
        "runpy",
        "code",
        "codeop",
        "posix",
        "imp",
        "types",
        "webbrowser",
        "multiprocessing",
        "gc",
        "asyncio",
        "_posixsubprocess",
        "pip",
        "dill",
        "shelve",
    }
)
"""Modules that nobody looks into by a name that is not told."""
_GETTERS = ("builtins.getattr", "inspect.getattr_static", "operator.attrgetter", "operator.methodcaller")
_IMPORTERS = (
    "importlib.import_module",
    "importlib.__import__",
    "importlib.util.find_spec",
    "pkgutil.resolve_name",
    "pydoc.locate",
    "django.utils.module_loading.import_string",
    "werkzeug.utils.import_string",
    "hydra.utils.get_method",
    "hydra.utils.get_class",
    "hydra.utils.get_object",
)
_FORMAT_WALK = re.compile(
    r"\{[^{}]*(?:__globals__|__subclasses__|__builtins__|__code__|__mro__|__bases__|__dict__|__class__\.__(?!name)|func_globals)"
)
_ENVIRONMENT = re.compile(
    r"(?:LD_|DYLD_|PYTHON(?!HASHSEED|UNBUFFERED|IOENCODING|UTF8|WARNINGS|DONTWRITE|TZPATH)|GIT_|BASH_ENV|NODE_OPTIONS|PERL5|RUBY|PIP_|JAVA_TOOL)|(?:PATH|ENV|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|SHELL|IFS|HOME|HTTPS?_PROXY|https?_proxy|ALL_PROXY|REQUESTS_CA_BUNDLE|SSL_CERT_FILE|CURL_CA_BUNDLE)\Z"
)
_MAY_BE_SET = frozenset(
    {
        "sys.stdout",
        "sys.stderr",
        "sys.stdin",
        "sys.excepthook",
        "sys.tracebacklimit",
        "sys.dont_write_bytecode",
        "sys.ps1",
        "sys.ps2",
        "sys.argv",
        "sys.displayhook",
    }
)
_FOREIGN_FOLDER = re.compile(r"/tmp|/var/tmp|/dev/shm|~|https?:|//|\\\\")  # noqa: S108 - places that snippets name
_MAGIC = frozenset(
    {
        "matplotlib",
        "time",
        "timeit",
        "pylab",
        "config",
        "who",
        "whos",
        "precision",
        "autoreload",
        "load_ext",
        "prun",
        "pinfo",
    }
)
_TABLES_OF_MODULES = ("sys.modules", "builtins.__dict__")
_EVALUATED = re.compile(r"__\w+__|@\w+\.\w+\(|\b(?:os|sys|subprocess)\.\w+")
_NUMPY_LOAD = ("numpy.load", "numpy.lib.npyio.load")


def call_hits(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Give what a call gets hold of by a detour, or runs."""
    for path in look.paths(call.func):
        if path in _GETTERS or path.endswith(".__getattribute__"):
            yield from _looked_up(call, path, look)
        elif path in _JUDGES:
            yield from _JUDGES[path](call, path, look)
        elif path.startswith(("sys.path.", "os.environ.", "sys.modules.")):
            yield from _changed(call, path, look)
        elif path.startswith(("builtins.get_ipython().", "IPython.get_ipython().")):
            yield from _notebook(call, path, look)
    if isinstance(call.func, ast.Attribute):
        yield from _by_method(call, call.func, look)


def _by_method(call: ast.Call, method: ast.Attribute, look: Look) -> Iterator[Hit]:
    """Judge methods of any object by their name."""
    if method.attr in ("eval", "query"):
        yield from _queried(call, look)
    elif method.attr == "__subclasses__" and _is_walk(method.value, look):
        yield Hit(rule="code.introspect", what="__subclasses__")


def node_hits(node: ast.AST, look: Look) -> Iterator[Hit]:
    """Give what an attribute, an item, a text or an assignment gets hold of by a detour."""
    match node:
        case ast.Attribute(ctx=ast.Load()):
            yield from _walked(node, look)
        case ast.Attribute():
            yield from _set_attribute(node, look)
        case ast.Subscript():
            yield from _item(node, look)
        case ast.Constant(value=str() as text) if "{" in text and _FORMAT_WALK.search(text):
            yield Hit(rule="code.introspect", what="a format that walks objects")
        case _:
            pass
    if isinstance(node, (ast.BinOp, ast.JoinedStr, ast.Subscript, ast.Call)) and not _is_lookup(node, look):
        values = look.resolver.values(node)
        if any(isinstance(value, Text) and value.text in TELLTALE for value in values):
            yield Hit(rule="code.detour", what="a name put together from pieces")


def _item(node: ast.Subscript, look: Look) -> Iterator[Hit]:
    if not isinstance(node.ctx, ast.Load):
        yield from _set_item(node, look)
    elif isinstance(node.slice, ast.Constant) and node.slice.value in WALKS:
        yield Hit(rule="code.introspect", what=str(node.slice.value))
    elif any(path in _TABLES_OF_MODULES for path in look.paths(node.value)) and _is_hidden(node.slice, look):
        yield Hit(rule="code.detour", what="a module by a name that is not told")


def _is_lookup(node: ast.AST, look: Look) -> bool:
    """Spare items of a spelled-out table and of arguments: nothing is hidden there."""
    return isinstance(node, ast.Subscript) and not any(
        isinstance(v, Text) for v in look.resolver.values(node.value)
    )


def _is_hidden(node: ast.expr, look: Look) -> bool:
    """Tell whether a key is not told, and is no module's own name."""
    return _untold(node, look) and not _is_own_name(node)


def _is_own_name(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id == "__name__") or (
        isinstance(node, ast.Attribute) and node.attr == "__module__"
    )


def _untold(node: ast.expr, look: Look) -> bool:
    texts = look.texts(node)
    return not texts or any(HOLE in text for text in texts)


def _looked_up(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    method = path.endswith(".__getattribute__") and len(call.args) == 1
    name = argument(call, 0 if method or path.startswith("operator.") else 1)
    if name is None:
        return
    owner = call.func.value if method and isinstance(call.func, ast.Attribute) else argument(call, 0)
    if any(text in WALKS or text == "__subclasses__" for text in look.texts(name)):
        yield Hit(rule="code.introspect", what="an attribute that walks objects")
    if _untold(name, look) and not path.startswith("operator."):
        roots = {p.split(".")[0].removesuffix("()") for p in look.paths(owner) if _is_module(p)}
        if roots:
            yield Hit(rule="code.detour", what=f"an attribute of {min(roots)} by a name that is not told")


def _is_module(path: str) -> bool:
    """Tell whether a name is a module that does harm, or one that nobody can tell."""
    if path in ("builtins.__import__()", "importlib.import_module()", "sys.modules[]", "builtins.__dict__"):
        return True
    return path in GUARDED


def _imported(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    name = argument(call, 0, "name")
    texts = look.texts(name)
    if _untold(name, look) if name is not None else True:
        yield Hit(rule="code.detour", severity=CodeSeverity.MEDIUM, what=f"{path} of a name that is not told")
    for text in texts:
        if canonical(text.replace(":", ".")).split(".")[0] in GUARDED and HOLE not in text:
            yield Hit(rule="code.detour", what=path)


def _listed(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    if GUARDED.intersection(look.paths(argument(call, 0))):
        yield Hit(rule="code.detour", what=path)


def _queried(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Judge a text that a library evaluates: columns and numbers do no harm, walks do."""
    if any(_EVALUATED.search(text) for given in call.args[:1] for text in look.texts(given)):
        yield Hit(rule="code.run", what="a text that a library evaluates")


def _asked(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    name = path.removeprefix("builtins.")
    yield Hit(rule="code.builtin", what=name) if isinstance(look.parent(call), ast.Expr) else note(name)


def _set(call: ast.Call, _path: str, look: Look) -> Iterator[Hit]:
    for path in look.paths(argument(call, 0)):
        if path in GUARDED or path in ("builtins.__dict__", "os.environ"):
            yield Hit(rule="code.hook", what=path)


def _set_attribute(node: ast.Attribute, look: Look) -> Iterator[Hit]:
    if node.attr in ("__code__", "__builtins__"):
        yield Hit(rule="code.introspect", what=node.attr)
    for path in look.paths(node.value):
        if path in GUARDED and f"{path}.{node.attr}" not in _MAY_BE_SET:
            yield Hit(rule="code.hook", what=f"{path}.{node.attr}")


def _set_item(node: ast.Subscript, look: Look) -> Iterator[Hit]:
    for path in look.paths(node.value):
        if path in ("builtins", "builtins.__dict__", "sys.modules", "os.__dict__", "sys.__dict__"):
            yield Hit(rule="code.hook", what=path)
        elif path == "os.environ":
            yield from _environment(look.texts(node.slice))


def _environment(names: tuple[str, ...]) -> Iterator[Hit]:
    if not names or any(_ENVIRONMENT.match(name) or HOLE in name for name in names):
        yield Hit(rule="code.hook", severity=CodeSeverity.MEDIUM, what="os.environ")


def _changed(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    if path in ("sys.path.insert", "sys.path.append", "sys.path.extend"):
        given = call.args[-1] if call.args else None
        if any(_FOREIGN_FOLDER.match(text) or TEMPORARY in text for text in look.texts(given)):
            yield Hit(rule="code.hook", what=path)
    elif path in ("os.environ.setdefault", "os.environ.pop", "os.environ.__setitem__"):
        if len(call.args) > 1 and path != "os.environ.pop":
            yield from _environment(look.texts(call.args[0]))
    elif path == "os.environ.update":
        given = argument(call, 0)
        keys = [k for k in given.keys if k is not None] if isinstance(given, ast.Dict) else []
        names = tuple(text for key in keys for text in look.texts(key)) + tuple(
            k.arg for k in call.keywords if k.arg
        )
        yield from _environment(names)
    elif path in ("os.environ.items", "os.environ.values", "os.environ.copy"):
        yield Hit(rule="code.secret", what=path)
    elif path in ("sys.modules.update", "sys.modules.__setitem__", "sys.modules.setdefault"):
        yield Hit(rule="code.hook", what=path)


def _compiled(call: ast.Call, path: str, _look: Look) -> Iterator[Hit]:
    parse_only = any(isinstance(n, ast.Attribute) and n.attr == "PyCF_ONLY_AST" for n in ast.walk(call))
    if path != "builtins.compile" or not parse_only:
        yield Hit(
            rule="code.run", severity=CodeSeverity.MEDIUM if path == "builtins.compile" else None, what=path
        )


def _notebook(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    harmless = path.endswith((".run_line_magic", ".magic", ".run_cell_magic", ".config", ".events"))
    words = [
        text.split()[0].lstrip("%") for text in look.texts(argument(call, 0, "magic_name")) if text.split()
    ]
    if not (harmless and words and _MAGIC.issuperset(words)):
        yield Hit(rule="code.notebook", what=path.replace("builtins.", ""))


def _loaded(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    """Judge loaders by what they are told to trust."""
    if path in _NUMPY_LOAD:
        allowed = argument(call, 2, "allow_pickle")
        if allowed is not None and not (isinstance(allowed, ast.Constant) and allowed.value is False):
            yield Hit(rule="code.unpickle", what=path)
    elif path == "torch.load":
        only = argument(call, -1, "weights_only")
        if not (isinstance(only, ast.Constant) and only.value is True):
            yield Hit(rule="code.unpickle", severity=CodeSeverity.MEDIUM, what=path)
    elif path in ("yaml.load", "yaml.load_all"):
        loader = argument(call, 1, "Loader")
        if not any(
            (p.startswith("yaml.") and "Safe" in p) or p == "yaml.BaseLoader" for p in look.paths(loader)
        ):
            yield Hit(rule="code.unpickle", what=path)


def _walked(node: ast.Attribute, look: Look) -> Iterator[Hit]:
    if node.attr in WALKS:
        yield Hit(rule="code.introspect", what=node.attr)
    above = look.parent(node)
    if node.attr == "__code__" and isinstance(above, ast.Attribute) and above.attr == "replace":
        yield Hit(rule="code.introspect", what="__code__.replace")
    if (
        METHODS.get(node.attr)
        and not _is_called(node, above)
        and any(p.startswith(PATH) for p in look.paths(node))
    ):
        yield Hit(rule=METHODS[node.attr], what=f"pathlib.Path.{node.attr}")
    if node.attr in ("__bases__", "__base__", "__mro__", "mro") and _is_walk(node.value, look):
        yield Hit(rule="code.introspect", what=node.attr)


def _is_called(node: ast.expr, above: ast.AST | None) -> bool:
    return isinstance(above, ast.Call) and above.func is node


def _is_walk(node: ast.expr, look: Look) -> bool:
    """Tell whether an object is where walks begin: a literal, ``object``, or the class of something."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.JoinedStr)):
        return True
    if isinstance(node, ast.Attribute):
        if node.attr == "__class__":
            return not isinstance(node.value, ast.Name) or node.value.id not in ("self", "cls")
        return node.attr in ("__base__", "__bases__", "__mro__")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("mro", "__subclasses__")
    return any(path.startswith("builtins.object") for path in look.paths(node))


_JUDGES: dict[str, Callable[[ast.Call, str, Look], Iterator[Hit]]] = {
    **dict.fromkeys(_IMPORTERS, _imported),
    **dict.fromkeys(("builtins.setattr", "builtins.delattr"), _set),
    **dict.fromkeys(RUN_CALLED, _compiled),
    **dict.fromkeys((*_NUMPY_LOAD, "torch.load", "yaml.load", "yaml.load_all"), _loaded),
    "builtins.input": _asked,
    "inspect.getmembers": _listed,
}
"""What is judged by what it is given."""
