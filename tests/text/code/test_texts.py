import pytest

from nightledger.text.code.audit import audit


def rules(text: str) -> set[str]:
    return {finding.rule for finding in audit(text).findings}


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    x: \"__import__('os')\"",
        "def f(x: 'os.system(1)'): ...",
        "def f(*x: 'os.system(1)', **y): ...",
        "def f() -> \"Optional['os.system(1)']\": ...\ndef g() -> Optional['os.system(1)']: ...",
        "async def f() -> 'os.system(1)': ...",
        "import os as o\ndef f(x: 'o.system(1)'): ...",
        "f.__annotations__ = {'x': 'os.system(1)'}",
        "__annotations__['x'] = 'os.system(1)'",
        "type('A', (), {'__annotations__': {'x': 'os.system(1)'}})",
        "from typing import ForwardRef\nForwardRef(' os.system(1)')",
        "import typing\ntyping.NamedTuple('A', [('x', 'os.system(1)')])",
    ],
)
def test_an_annotation_written_as_a_text_is_judged_as_code(text: str) -> None:
    assert rules(text) & {"code.process", "code.detour"}


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: 'list[int]', y: 'Node | None' = None) -> 'Callable[[int], str]': ...",
        "class A:\n    x: Literal['eval (b)', 'exec(']\n    z: typing.Literal['exec(b)']\n    y: Annotated[int, 'Field(gt=0)']",
        "def f(p: 'subprocess.Popen[bytes]'): ...",
        "f.annotations = {'x': 'os.system(1)'}",
        "names = {}\nnames['x'] = 'os.system(1)'",
        "(a, b) = 'os.system(1)', 1",
        "x: 'f(1); g(2)'",
    ],
)
def test_an_annotation_that_only_names_types_is_spared(text: str) -> None:
    assert audit(text, "python").clean, audit(text, "python").findings


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("dictConfig({'handlers': {'a': {'()': 'os.system', 'command': 'id'}}})", "code.process"),
        ("dictConfig({'handlers': {'a': {'class': 'subprocess.Popen'}}})", "code.process"),
        ("instantiate({'_target_': 'shutil.rmtree', 'path': 'a'})", "code.delete"),
        ("dictConfig({'a': {'stream': 'ext://os.abort'}})", "code.signal"),
        ('dictConfig(json.loads(\'{"a": {"()": "os.system"}}\'))', "code.process"),
        ("dictConfig(yaml.safe_load('''\na:\n  (): os.system\n'''))", "code.process"),
        ("resolve({'factory': 'os:system'})", "code.process"),
    ],
)
def test_a_configuration_that_names_what_does_harm_is_found(text: str, rule: str) -> None:
    assert rule in rules(text)


@pytest.mark.parametrize(
    "text",
    [
        "dictConfig({'filters': {'f': {'()': 'app.log.Filter'}}, 'handlers': {'c': {'class': 'logging.StreamHandler', 'stream': 'ext://sys.stdout'}}})",
        "jobs = {'class': 'system', 'factory': 'make', 'other': 'os.system', **more}",
        "print('call f() or os.system()')",
        "from unittest.mock import patch\npatch('subprocess.run')",
    ],
)
def test_a_configuration_that_names_anything_else_is_spared(text: str) -> None:
    assert audit(text, "python").clean, audit(text, "python").findings


RUN = "import doctest\ndoctest.testmod()\n"


@pytest.mark.parametrize(
    "text",
    [
        f'"""A.\n\n>>> import os\n>>> os.system("id")\n0\n"""\n{RUN}',
        f"def f():\n    '''Add.\n\n    Words: more.\n\n    >>> for n in range(2):\n    ...     exec(n)\n    '''\n{RUN}",
        f"__test__ = {{'a': '>>> eval(1)'}}\n{RUN}",
        "import doctest\ndoctest.testfile('a.txt')",
        "from doctest import DocTestRunner as R\nR().run(test)",
    ],
)
def test_examples_that_the_snippet_runs_are_judged_as_code(text: str) -> None:
    assert "code.run" in rules(text)


@pytest.mark.parametrize(
    "text",
    [
        f'def f(x):\n    """Add.\n\n    >>> f(1)\n    2\n    >>> [f(n)\n    ...  for n in range(2)]\n    [1, 2]\n    """\n{RUN}',
        'def f(x):\n    """Call.\n\n    >>> os.system("id")\n    """\n',
        f"x = 'exec(1)'\n{RUN}",
    ],
)
def test_examples_that_do_no_harm_or_are_not_run_are_spared(text: str) -> None:
    assert audit(text, "python").clean, audit(text, "python").findings
