"""Names that the resolver knows by themselves: built-ins, tables of names, functions that look one up.

Invariant: constants only; canonical names, as everywhere in the auditor.
"""

DICTIONARIES = (".__dict__", "builtins.globals()", "builtins.locals()", "builtins.vars()", "sys.modules")
"""Tables of names: an item of one is what the name stands for."""
BUILTINS = frozenset(
    {"__import__", "compile", "eval", "exec", "execfile", "input", "open", "getattr", "setattr", "delattr", "hasattr", "globals", "locals", "vars", "dir", "chr", "ord", "str", "bytes", "bytearray",
     "reversed", "map", "filter", "list", "tuple", "dict", "set", "sorted", "type", "object", "super", "print", "isinstance", "iter", "next", "zip", "len", "repr", "get_ipython", "__build_class__", "help", "breakpoint", "int", "id", "any", "all", "sum", "enumerate", "format", "hex",
     "abs", "pow", "divmod", "max", "min", "round", "callable", "hash", "oct", "bin", "ascii", "issubclass", "aiter", "anext"}
)  # fmt: skip
"""Built-in functions that a name stands for unless the snippet binds it."""
FINDERS = frozenset(
    {"builtins.getattr", "inspect.getattr_static", "operator.attrgetter", "operator.methodcaller", "operator.itemgetter", "operator.attrgetter()", "operator.methodcaller()"}
)  # fmt: skip
"""Functions that look an attribute or an item up by its name."""
IMPORTERS = frozenset({"builtins.__import__", "importlib.import_module", "importlib.__import__"})
"""Functions that import a module by its name."""
ITEM_METHODS = (".get", ".pop", ".setdefault", ".__getitem__")
"""Methods that give an item of a table."""
ITEM_OF = frozenset(
    {"operator.getitem", "operator.__getitem__", *(f"builtins.dict{name}" for name in ITEM_METHODS)}
)
"""Functions that give an item of what they are given first."""
SAME_AS_FIRST = frozenset(
    {"functools.partial", "builtins.iter", "builtins.list", "builtins.tuple", "builtins.set", "builtins.dict", "copy.copy", "weakref.proxy", "typing.cast", "contextlib.closing"}
)  # fmt: skip
"""Functions whose result is as good as what they are given first."""
REDUCERS = frozenset({"functools.reduce", "_functools.reduce", "builtins.reduce", "itertools.accumulate"})
"""What applies a function along a sequence."""
USUAL = {
    **{name: name for name in ("os", "sys", "subprocess", "shutil", "socket", "pickle", "marshal", "ctypes", "pty", "commands", "importlib", "builtins", "posix", "runpy", "code", "codeop", "pathlib", "io", "types",
                               "requests", "httpx", "yaml", "tempfile", "asyncio", "gc", "base64", "codecs", "operator", "functools", "smtplib", "webbrowser", "signal", "timeit", "dill", "joblib", "shelve", "pip", "keyring", "urllib", "http", "imp")},
    "__builtins__": "builtins", "__loader__": "__loader__", "__spec__": "__spec__", "Path": "pathlib.Path", "np": "numpy", "pd": "pandas", "sp": "subprocess", "Popen": "subprocess.Popen", "import_module": "importlib.import_module", "urlopen": "urllib.request.urlopen", "check_output": "subprocess.check_output",
}  # fmt: skip
"""What a name stands for that a snippet uses without importing it: it is pasted where it was imported."""
