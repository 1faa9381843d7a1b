import ast

import pytest
from tests.rows import each_row
from typing_extensions import override

from nightledger.text.code.audit import audit
from nightledger.text.code.folding import HOLE, TEMPORARY
from nightledger.text.code.scopes import Scopes
from nightledger.text.code.value import Items
from nightledger.text.code.values import Resolver


def last(text: str) -> tuple[Resolver, ast.expr]:
    tree = ast.parse(text)
    statement = tree.body[-1]
    assert isinstance(statement, ast.Expr)
    return Resolver(Scopes(tree)), statement.value


def texts(text: str) -> tuple[str, ...]:
    resolver, node = last(text)
    return resolver.texts(node)


def paths(text: str) -> set[str]:
    resolver, node = last(text)
    return {ref.path for ref in resolver.refs(node)}


@each_row(
    ("text", "value"),
    [
        ("'a' + 'b'", "ab"),
        ("'a' + b", "a" + HOLE),
        ("f'{x}/a'", HOLE + "/a"),
        ("f'a{1}'", "a1"),
        ("'%s-%s' % ('a', 'b')", "a-b"),
        ("'%s' % 'a'", "a"),
        ("'%s %s' % 'a'", HOLE),
        ("'%9999999999d' % 1", HOLE),
        ("'ab' * 2", "abab"),
        ("2 * 'ab'", "abab"),
        ("'abc'[::-1]", "cba"),
        ("'abc'[1]", "b"),
        ("'abc'[-1]", "c"),
        ("'abc'[0:2]", "ab"),
        ("('a', 'b')[1]", "b"),
        ("['a', 'b'][::-1][0]", "b"),
        ("''.join(['a', 'b'])", "ab"),
        ("''.join(('a',) + ('b',))", "ab"),
        ("'-'.join('ab')", "a-b"),
        ("''.join(reversed('ab'))", "ba"),
        ("''.join(map(chr, [97, 98]))", "ab"),
        ("''.join(chr(c) for c in (97, 98))", "ab"),
        ("''.join([c.upper() for c in 'ab'])", "AB"),
        ("str.upper('a')", "A"),
        ("'{}{}'.format('a', 'b')", "ab"),
        ("'{:>9}'.format('a')", HOLE),
        ("'aXb'.replace('X', '')", "ab"),
        ("' a '.strip()", "a"),
        ("'xax'.strip('x')", "a"),
        ("'xa'.removeprefix('x')", "a"),
        ("'ax'.removesuffix('x')", "a"),
        ("'A'.lower().casefold().swapcase()", "A"),
        ("'a'.translate({})", HOLE),
        ("b'a'.decode()", "a"),
        ("'a'.encode()", "a"),
        ("bytes([97, 98]).decode()", "ab"),
        ("bytes.fromhex('6162').decode()", "ab"),
        ("bytes.fromhex('zz').decode()", HOLE),
        ("import base64\nbase64.b64decode('YWI=')", "ab"),
        ("import base64\nbase64.b64decode(x)", HOLE),
        ("import codecs\ncodecs.decode('no', 'rot13')", "ab"),
        ("import codecs\ncodecs.decode('no', 'zip')", HOLE),
        ("import os\nos.path.join('a', os.path.expanduser('~/b'))", "a/~/b"),
        ("from pathlib import Path\nPath('a') / 'b'", "a/b"),
        ("from pathlib import Path\nPath('a') / f()", "a/" + HOLE),
        ("from pathlib import Path\nPath.home() / x", "~/" + HOLE),
        ("from pathlib import Path\nPath('a').joinpath('b', 'c').resolve()", "a/b/c"),
        ("from pathlib import Path\nPath('a/b').with_name('c')", "a/c"),
        ("from pathlib import Path\nPath.cwd()", "."),
        ("from pathlib import Path\n[p for p in Path('a').glob('*.md')][0]", "a/*.md"),
        ("import tempfile\ntempfile.mkdtemp() + '/a'", TEMPORARY + "/a"),
        ("chr('a')", HOLE),
        ("str()", HOLE),
    ],
)
def test_texts_are_put_together_as_python_would(text: str, value: str) -> None:
    assert texts(text) == (value,)


def test_a_name_may_be_several_things() -> None:
    assert set(texts("x = 'a'\nx = 'b'\nx")) == {"a", "b"}
    assert set(texts("('a' if y else 'b')")) == {"a", "b"}
    assert set(texts("(y or 'a')")) == {"a"}
    assert set(texts("x = 'a'\nx += 'b'\nx")) == {"a", "ab"}
    assert set(texts("for x in ('.b', '.c'): pass\nPath('a') / x")) == {"a/.b", "a/.c"}
    assert HOLE in texts("\n".join(f"x = '{n}'" for n in range(20)) + "\nx")


@each_row(
    ("text", "path"),
    [
        ("import os as o\no.system", "os.system"),
        ("import os.path as p\np.join", "os.path.join"),
        ("import a.b\na", "a"),
        ("from os import system as s\ns", "os.system"),
        ("a, b = print, eval\nb", "builtins.eval"),
        ("(a, *b) = x, eval\nb[-1]", "builtins.eval"),
        ("for f in (eval,): pass\nf", "builtins.eval"),
        ("with open('a') as f: pass\nf", "builtins.open()"),
        ("(f := eval)\nf", "builtins.eval"),
        ("x.go = eval\ny.go", "builtins.eval"),
        ("t = {}\nt['a'] = eval\nt['a']", "builtins.eval"),
        ("vars(eval)", "builtins.eval.__dict__"),
        ("import os\nvars(os)['system']", "os.system"),
        ("import os\nos.__dict__.get('system')", "os.system"),
        ("import sys\nsys.modules['os']", "os"),
        ("globals()['eval']", "builtins.eval"),
        ("globals()['__builtins__']", "builtins"),
        ("__builtins__['eval']", "builtins.eval"),
        ("print.__self__", "builtins"),
        ("divmod.__self__.eval", "builtins.eval"),
        ("import operator\noperator.itemgetter('eval')(vars(__builtins__))", "builtins.eval"),
        ("import operator\noperator.getitem(globals(), 'eval')", "builtins.eval"),
        ("import os\ndict.get(vars(os), 'abort')", "os.abort"),
        ("import os\ndict.__getitem__(os.__dict__, 'abort')", "os.abort"),
        ("import sys\nsys.modules[type(x).__module__].open", "sys.modules[].open"),
        ("import sys\nsys.modules[__name__].open", "__main__.open"),
        ("eval.__call__", "builtins.eval"),
        ("__import__('a.b')", "a"),
        ("__import__('a.b', None, None, ['c'])", "a.b"),
        ("__import__('a.b', fromlist=['c'])", "a.b"),
        ("import importlib\nimportlib.import_module('a.b')", "a.b"),
        ("import operator, os\noperator.attrgetter('path.join')(os)", "os.path.join"),
        ("import operator, os\noperator.methodcaller('abort')(os)", "os.abort"),
        ("import os\nobject.__getattribute__(os, 'abort')", "os.abort"),
        ("import os\nos.__getattribute__('abort')", "os.abort"),
        ("from functools import partial\npartial(eval)", "builtins.eval"),
        ("next(iter([eval]))", "builtins.eval"),
        ("import os\nf = lambda g=os.abort: g\nos.abort", "os.abort"),
        ("from os import *\nsystem", "os.system"),
        ("os.system", "os.system"),
        ("Path('a')", "pathlib.Path()"),
    ],
)
def test_a_name_is_followed_to_what_it_stands_for(text: str, path: str) -> None:
    assert path in paths(text)


@pytest.mark.parametrize(
    "text",
    [
        "def eval(x): ...\neval",
        "from ast import literal_eval as eval\neval",
        "eval = 3\neval",
        "class eval: ...\neval",
        "import os\nos = None\nx",
    ],
)
def test_what_the_snippet_binds_itself_is_no_builtin(text: str) -> None:
    assert "builtins.eval" not in paths(text)


@pytest.mark.parametrize(
    "text",
    [
        "if x:\n    eval = 3\neval",
        "try:\n    eval = 3\nexcept E as eval: ...\neval",
        "eval = 3\ndel eval\neval",
        "class A:\n    eval = 3\neval",
        "def f(eval): ...\neval",
    ],
)
def test_a_binding_that_may_be_skipped_hides_no_builtin(text: str) -> None:
    assert "builtins.eval" in paths(text)


def test_an_item_of_a_table_of_texts_is_no_name() -> None:
    assert paths("import operator\noperator.itemgetter('eval')({'eval': 'a'})") == {"operator.itemgetter()()"}
    assert paths("import operator\noperator.itemgetter('eval')()") == {"operator.itemgetter()()"}
    assert paths("dict.get({'eval': 'a'}, 'eval')") == {"builtins.dict.get()"}
    assert paths("import operator\noperator.getitem()") == {"operator.getitem()"}


def test_what_cannot_be_told_is_nothing() -> None:
    resolver, node = last("x.y.z(1)[2]")
    assert resolver.values(node) == ()
    assert resolver.values(None) == ()
    assert texts("f'{[1]}'") == (HOLE,)


@pytest.mark.parametrize(
    "code",
    [
        "from invoke import task\n@task\ndef ship(c):\n    c.run('make')",
        "from invoke import task as t\n@t(pre=[clean])\ndef ship(ctx, name):\n    ctx.sudo('make')",
        "import nox\n@nox.session(python=['3.12'])\ndef tests(session):\n    session.run('pytest')",
        "import nox\n@nox.session\ndef tests(s):\n    s.install('a')",
    ],
)
def test_what_a_framework_hands_to_a_function_is_known_by_its_decorator(code: str) -> None:
    assert [finding.rule for finding in audit(code, "python").findings] == ["code.process"]


@pytest.mark.parametrize(
    "code",
    [
        "def ship(c):\n    c.run('make')",
        "@task\ndef ship(c):\n    c.run('make')",
        "from celery import task\n@task\ndef ship(c):\n    c.run('make')",
        "from invoke import task\n@task\ndef ship(c, job):\n    job.run('make')\n    print(c.config)",
    ],
)
def test_a_parameter_of_any_other_function_is_not(code: str) -> None:
    assert audit(code, "python").findings == ()


class Counted(int):
    """A number that counts how often it is asked for its hash."""

    asked = 0

    @override
    def __hash__(self) -> int:
        type(self).asked += 1
        return int(self)


def test_what_is_in_a_sequence_is_looked_at_once_however_often_the_sequence_is_compared() -> None:
    sequence = Items((Counted(1), Items((Counted(2),))))
    held = {Items((sequence, 3)), Items((sequence, 4))}
    assert Items((sequence, 3)) in held
    assert Counted.asked == len((1, 2))
