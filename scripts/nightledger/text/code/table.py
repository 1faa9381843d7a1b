"""The table of all that the code auditor looks for: each row with what it must find and what it must not.

Invariant: complete, every name that a finding can carry stands here; ``audit-code --test`` and the
tests walk it.
"""

from nightledger.text.code.rule import CodeRow, CodeSeverity

_HIGH, _MEDIUM, _NOTE = CodeSeverity.HIGH, CodeSeverity.MEDIUM, CodeSeverity.NOTE


def _row(
    name: str, severity: CodeSeverity, why: str, catches: tuple[str, ...], spares: tuple[str, ...]
) -> CodeRow:
    return CodeRow(name=f"code.{name}", severity=severity, why=why, catches=catches, spares=spares)


CODE_TABLE: tuple[CodeRow, ...] = (
    _row("process", _HIGH, "starts another program, or becomes one",
         ("import os\nos.system('id')", "import os as o\nf = o.popen\nf('id')", "import tempfile\ntempfile._os.execv('/bin/sh', ['sh'])", "from subprocess import run as go\ngo(['id'])", "import nox\n@nox.session\ndef tests(session):\n    session.run('pytest')"),
         ("import platform\nprint(platform.system())", "class Site:\n    def system(self): return 'solar'\nSite().system()")),
    _row("run", _HIGH, "runs code that is not shown here",
         ("eval('1')", "import builtins\nbuiltins.exec(text)", "@exec\nclass A: ...", "import types\ntypes.FunctionType(body, {})", "import timeit\ntimeit.timeit('os.system(1)', 'import os')", "import cProfile\ncProfile.run(open('a').read())", "from jinja2 import Template\nTemplate(input()).render()", "from mako.template import Template\nTemplate('${eval(x)}')"),
         ("model.eval()", "import ast\nast.literal_eval('1')", "import re\nre.compile('a')", "import timeit\ntimeit.timeit('1 + 1')", "isinstance(f, types.FunctionType)", "from jinja2 import Template\nTemplate('{{ a }}').render(a=1)")),
    _row("load", _HIGH, "loads code from a file or installs it",
         ("import runpy\nrunpy.run_path('a.py')", "from importlib.util import spec_from_file_location as s\ns('a', '/tmp/a.py')", "import pip\npip.main(['install', 'a'])", "AutoModel.from_pretrained('a/b', trust_remote_code=True)"),
         ("from importlib.metadata import version\nversion('rich')", "import importlib\nimportlib.resources.files('a')")),
    _row("unpickle", _HIGH, "rebuilds objects from bytes, which can run anything",
         ("import pickle\npickle.loads(b'')", "import yaml\nyaml.load(t)", "import numpy as np\nnp.load('a.npy', allow_pickle=True)", "import marshal\nmarshal.load(f)"),
         ("import pickle\nlen(pickle.dumps(1))", "import yaml\nyaml.safe_load(t)", "import numpy as np\nnp.load('a.npy')")),
    _row("detour", _HIGH, "reaches a name by a detour that hides it",
         ("__import__('os')", "import os\ngetattr(os, name)", "getattr(x, 'sys' + 'tem')('id')", "import importlib\nimportlib.import_module('subprocess')", "import sys\nsys.modules[name].f()"),
         ("getattr(settings, 'width', 80)", "import importlib\nimportlib.import_module('json')", "'a' + 'b'", "import numpy as np\ngetattr(np, 'mean')")),
    _row("introspect", _HIGH, "walks from an object to what is hidden behind it",
         ("().__class__.__bases__[0].__subclasses__()", "f.__globals__['x']", "'{a.__init__.__globals__}'.format(a=1)", "import gc\ngc.get_objects()"),
         ("Base.__subclasses__()", "self.__class__.__name__", "f.__code__.co_varnames", "'{a.name}'.format(a=1)")),
    _row("native", _HIGH, "calls native code or writes memory",
         ("import ctypes\nctypes.CDLL('libc.so.6')", "from ctypes import cdll\ncdll.LoadLibrary('a')"), ("import ctypes\nctypes.sizeof(ctypes.c_int)",)),
    _row("delete", _HIGH, "deletes or empties files, or tables of a database",
         ("import os\nos.remove('a')", "import shutil\nshutil.rmtree('a')", "from pathlib import Path\nPath('a').unlink()", "import os\nos.truncate('a', 0)", "cur.execute('DROP TABLE users')", "User.objects.all().delete()", "frame.to_sql('users', engine, if_exists='replace')"),
         ("tags.remove('a')", "import os\nos.path.exists('a')", "cur.execute('delete from users where id = 1')", "User.objects.filter(id=1).delete()")),
    _row("startup", _HIGH, "writes where it is run or read again: start-up files, schedules, packages, an agent's memory",
         ("open('/home/a/.bashrc', 'a')", "from pathlib import Path\n(Path.home() / '.zshrc').write_text('x')", "open('MEMORY.md', 'w')", "import shutil\nshutil.copy('a', '/etc/cron.d/a')"),
         ("open('report.json', 'w')", "open('MEMORY.md').read()")),
    _row("write", _MEDIUM, "writes a file",
         ("open(place, 'w')", "from pathlib import Path\nPath('a').write_text('x')", "import io\nio.open('a.py', mode='w')", "import os\nos.fdopen(3, 'w')", "x.open('wb')", "import fileinput\nfileinput.input(inplace=True)"),
         ("open('a').read()", "door.open()", "open('table.csv', 'w')", "def test(tmp_path):\n    (tmp_path / 'a').write_text('x')", "import io\nio.StringIO().write('a')")),
    _row("move", _MEDIUM, "moves, copies or links files, or changes who may use them",
         ("import os\nos.rename('a', 'b')", "import shutil\nshutil.copy2('a', 'b')", "import os\nos.chmod('a', 0o777)", "from pathlib import Path\nPath('a').symlink_to('b')"),
         ("'a'.replace('a', 'b')", "df.rename(columns={})", "import copy\ncopy.copy([])")),
    _row("network", _MEDIUM, "opens a connection or sends something out",
         ("import socket\nsocket.create_connection(('a', 1))", "import requests\nrequests.post('https://example.org', json={})", "import smtplib\nsmtplib.SMTP('a')", "import webbrowser\nwebbrowser.open('https://example.org')"),
         ("import requests\nrequests.get('https://example.org/a', timeout=5)", "import socket\nsocket.gethostname()", "from urllib.parse import urlsplit\nurlsplit('https://example.org')")),
    _row("leak", _HIGH, "sends out what it read from files or the environment",
         ("import os, requests\nrequests.post('https://example.org', json=dict(os.environ))", "from urllib.request import urlopen\nurlopen('http://example.org/?' + open('a').read())"),
         ("import os, requests\nrequests.get('https://example.org', headers={'Authorization': os.environ['KEY']})", "import json\njson.dumps(dict(a=1))")),
    _row("secret", _MEDIUM, "reads where keys, passwords or cookies are, or the whole environment",
         ("open('/home/a/.ssh/id_rsa').read()", "import os\nprint(os.environ)", "import keyring\nkeyring.get_password('a', 'b')", "from pathlib import Path\n(Path.home() / '.aws' / 'credentials').read_text()"),
         ("import os\nos.environ.get('HOME')", "open('notes.txt').read()", "print('see ~/.ssh/config')")),
    _row("hook", _HIGH, "changes how Python itself, or a program started later, works",
         ("import builtins\nbuiltins.open = f", "import sys\nsys.meta_path.insert(0, f)", "import os\nos.environ['LD_PRELOAD'] = 'a.so'", "import sys\nsys.settrace(f)", "import sys\nsys.path.insert(0, '/tmp/a')"),
         ("import os\nos.environ['TZ'] = 'UTC'", "import sys\nsys.path.insert(0, 'src')", "import sys, io\nsys.stdout = io.StringIO()")),
    _row("signal", _MEDIUM, "ends other processes",
         ("import os\nos.kill(1, 9)", "import psutil\npsutil.Process(1).kill()"), ("import signal\nsignal.signal(signal.SIGTERM, stop)", "light.kill()")),
    _row("notebook", _HIGH, "hands a line to the shell or runs a file, from a notebook",
         ("!ls\nx = 1", "%run a.py\nx = 1", "%%bash\nls", "get_ipython().system('id')"), ("%matplotlib inline\nx = 1", "%timeit f()\nx = 1", "x = 7 % 3")),
    _row("import", _MEDIUM, "imports a module of the published denylist, and nothing here shows that it does no harm",
         ("import os", "import subprocess\nf(subprocess)", "from ctypes import wintypes"), ("import os\nos.path.join('a', 'b')", "import sys\nsys.exit(0)", "import json")),
    _row("builtin", _MEDIUM, "calls a built-in of the published denylist for nothing that can be seen",
         ("open('a')", "input()"), ("rows = open('a').readlines()", "name = input()", "def input(): ...\ninput()")),
    _row("published", _NOTE, "is on the published denylist and does no harm here; no finding",
         ("import os\nos.getcwd()", "open('a').read()", "name = input()"), ("import json", "door.open()")),
    _row("unparsable", _MEDIUM, "is no Python that can be parsed: what is left of it was audited, the rest not",
         ("def f(:\n    pass", "import json\nx = = 1"), ("print 'a'", ">>> 1 + 1\n2", "    x = f(1)")),
    _row("too_deep", _MEDIUM, "is nested too deep to be parsed: not audited",
         ("(" * 300 + "1" + ")" * 300, "+".join("1" * 9000)), ("+".join("1" * 90), "((((1))))")),
    _row("too_large", _MEDIUM, "is too large to be audited",
         ("x = 1\n" * 50_000,), ("x = 1\n" * 200,)),
    _row("unaudited", _MEDIUM, "is no Python: not audited, which is not clean",
         ("#!/bin/sh\nid", "curl https://example.org | sh", "const a = require('fs')"), ("import json", "x = 1")),
)  # fmt: skip
"""In the order in which help and ``--denylist`` show them."""
ROWS: dict[str, CodeRow] = {row.name: row for row in CODE_TABLE}
NOT_READ = frozenset({"code.unparsable", "code.too_deep", "code.too_large", "code.unaudited"})
"""Rows that say that something was not audited."""
