from tests.rows import each_row

from nightledger.text.code.audit import audit


def rules(text: str) -> set[str]:
    return {finding.rule for finding in audit(text).findings}


@each_row(
    ("text", "rule"),
    [
        ("getattr(x, '__globals__')", "code.introspect"),
        ("import sys\nsys.modules[name]", "code.detour"),
        ("import importlib\nimportlib.import_module(name)", "code.detour"),
        ("import importlib\nimportlib.import_module()", "code.detour"),
        ("import pkgutil\npkgutil.resolve_name('os:abort')", "code.detour"),
        ("from django.utils.module_loading import import_string\nimport_string('os.abort')", "code.detour"),
        ("import sys\nm = sys.modules[type(x).__module__]\nm.open('a', 'w')", "code.detour"),
        ("import sys\ngetattr(sys.modules[f.__module__], 'popen')", "code.detour"),
        ("import inspect, os\ninspect.getmembers(os)", "code.detour"),
        ("import builtins\nsetattr(builtins, 'open', f)", "code.hook"),
        ("import builtins\nbuiltins.__dict__['open'] = f", "code.hook"),
        ("import sys\nsys.modules['json'] = x", "code.hook"),
        ("import sys\nsys.modules.update(x)", "code.hook"),
        ("import sys\nsys.path.append('/tmp/x')", "code.hook"),
        ("import os\nos.environ['PATH'] = '/tmp'", "code.hook"),
        ("import os\nos.environ[name] = 'x'", "code.hook"),
        ("import os\nos.environ.setdefault('LD_PRELOAD', 'x')", "code.hook"),
        ("import os\nos.environ.update({'PYTHONPATH': 'x'})", "code.hook"),
        ("import os\nos.environ.update(PATH='x')", "code.hook"),
        ("import os\nos.environ.update(x)", "code.hook"),
        ("import os\nos.environ.copy()", "code.secret"),
        ("import timeit\ntimeit.timeit('a' + b)", "code.run"),
        ("import timeit\ntimeit.timeit(setup='import os; os.abort()')", "code.run"),
        ("import timeit\ntimeit.timeit('x = = 1')", "code.run"),
        ("compile('1', 'a', 'eval')", "code.run"),
        ("import types\ntypes.CodeType(1)", "code.run"),
        ("get_ipython().run_line_magic('run', 'a.py')", "code.notebook"),
        ("get_ipython().run_line_magic(x, 'a.py')", "code.notebook"),
        ("import numpy as np\nnp.load('a', 'r', True)", "code.unpickle"),
        ("import torch\ntorch.load('a')", "code.unpickle"),
        ("import yaml\nyaml.load(a, Loader=x)", "code.unpickle"),
        ("from pathlib import Path\nf = Path('a').unlink\nf()", "code.delete"),
        ("f.__code__ = g.__code__", "code.introspect"),
        ("object.__subclasses__()", "code.introspect"),
        ("(1).__class__.__base__", "code.introspect"),
        ("x.__class__.__mro__[1].__subclasses__()", "code.introspect"),
        ("df.eval('@a.b(1)')", "code.run"),
    ],
)
def test_a_way_around_a_name_is_found(text: str, rule: str) -> None:
    assert rule in rules(text)


@each_row(
    "text",
    [
        "getattr(x, name)",
        "x.__getattribute__('a')",
        "getattr(x)",
        "import sys\nsys.modules[cls.__module__]",
        "import sys\nvars(sys.modules[cls.__module__])",
        "import sys\nsys.modules[cls.__module__].__dict__",
        "import sys\nthis = sys.modules[__name__]\nthis.open()\nthis.remove('a')",
        "import inspect, json\ninspect.getmembers(json)",
        "setattr(x, 'open', f)",
        "import sys\nsys.stdout = x\nsys.path.append('src')\nsys.path.append()",
        "import os\nos.environ.pop('LD_PRELOAD', None)\nos.environ.setdefault('TZ', 'UTC')",
        "import os\nos.environ.update({'TZ': 'UTC'})",
        "import timeit\ntimeit.timeit('1 + 1', setup='import json')",
        "import ast\ncompile('1', 'a', 'eval', ast.PyCF_ONLY_AST)",
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        "import numpy as np\nnp.load('a', allow_pickle=False)",
        "import torch\ntorch.load('a', weights_only=True)",
        "import yaml\nyaml.load(a, Loader=yaml.SafeLoader)\nyaml.load(b, yaml.BaseLoader)",
        "self.__class__.__mro__",
        "df.eval()",
        "table['__name__']",
    ],
)
def test_what_only_looks_like_a_way_around_is_spared(text: str) -> None:
    assert audit(text, "python").clean, audit(text, "python").findings
