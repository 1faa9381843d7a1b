import pytest
from tests.rows import each_row

from nightledger.text.code.audit import audit


def rules(text: str) -> set[str]:
    return {finding.rule for finding in audit(text, "python").findings}


@each_row(
    "text",
    [
        "import cProfile, sys\ncProfile.run(open(sys.argv[1]).read())",
        "from profile import run as go\ngo(what)",
        "import cProfile\ncProfile.run('exec(1)')",
        "import cProfile\ncProfile.runctx(what, globals(), locals())",
        "import cProfile\ncProfile.run(statement=what)",
        "from cProfile import Profile\nwith Profile() as p:\n    p.run(what)",
        "import cProfile\ncProfile.Profile.run(p, what)",
        "import profile\np = profile.Profile()\np.runctx('eval(1)', {}, {})",
        "import cProfile\nlist(map(cProfile.run, whats))",
        "import cProfile\nrun_all(by=cProfile.run)",
        "import cProfile\nfrom functools import partial\npartial(cProfile.run, sort='time')(what)",
        "import line_profiler\nline_profiler.LineProfiler().run(what)",
        "import timeit\ntimeit.timeit(open('a.py').read())",
        "import timeit, sys\ntimeit.repeat(sys.argv[1], number=1)",
        "import timeit\ncode = input()\ntimeit.Timer(code).timeit()",
        "import timeit\ntimeit.timeit('f(' + x)",
        "import timeit\ntimeit.timeit(x + y)",
        "import timeit\ntimeit.timeit('c.builtins.eval(1)', 'from json import codecs as c')",
        "import timeit\ntimeit.timeit(f, setup='import os; os.abort()')",
        "import timeit\ntimeit.main(['-s', 'import os', 'os.abort()'])",
        "import pdb\npdb.run(what)",
        "import pdb\npdb.runeval('f()')",
        "import bdb\nbdb.Bdb().run(what)",
        "import trace\ntrace.Trace().runctx(what)",
        "import rlcompleter\nrlcompleter.Completer().attr_matches('f().x')",
        "from concurrent import interpreters\ninterpreters.create().exec(what)",
    ],
)
def test_a_text_that_a_runner_runs_is_judged_as_code(text: str) -> None:
    assert "code.run" in rules(text)


def test_a_text_is_judged_with_the_names_of_the_snippet() -> None:
    assert "code.process" in rules(
        "import subprocess as s\nimport cProfile\ncProfile.run('x = 1; s.call(1)')"
    )


def test_a_profile_that_is_written_where_it_is_read_again_is_found() -> None:
    assert "code.startup" in rules("import cProfile\ncProfile.run('f()', '/home/ada/.bashrc')")
    assert "code.startup" in rules("import cProfile\ncProfile.runctx('f()', {}, {}, '/home/ada/.bashrc')")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("import pytest\npytest.main(['tests'])", "code.load"),
        ("import unittest\nunittest.TestLoader().discover('tests')", "code.load"),
        ("import pydoc\npydoc.importfile('a.py')", "code.load"),
        ("import site\nsite.addpackage('a', 'b.pth', None)", "code.load"),
        ("import venv\nvenv.create('a', with_pip=True)", "code.process"),
        ("import mailcap\nmailcap.findmatch(caps, 'text/plain')", "code.process"),
        ("import fcntl, termios\nfcntl.ioctl(0, termios.TIOCSTI, 'x')", "code.process"),
        ("import tracemalloc\ntracemalloc.Snapshot.load('a')", "code.unpickle"),
        ("import zipapp\nzipapp.create_archive('a')", "code.write"),
        ("import mailbox\nmailbox.mbox('a').clear()", "code.delete"),
        ("from pathlib import Path\nPath('a').move('b')", "code.move"),
    ],
)
def test_relatives_in_the_standard_library_are_found(text: str, rule: str) -> None:
    assert rule in rules(text)


@each_row(
    "text",
    [
        "import cProfile\ncProfile.run('main()')",
        "import cProfile\ncProfile.run('main()', 'out.prof', sort='cumtime')",
        "import cProfile, pstats\np = cProfile.Profile()\np.enable()\np.runcall(f, 1)\npstats.Stats(p).print_stats(5)",
        "import cProfile\nrun = cProfile.run",
        "import timeit\ntimeit.timeit('os.path.join(a)', setup='import os; a = 1')",
        "import timeit\ntimeit.timeit(lambda: open('a').read(), number=5)",
        "import timeit\nfrom functools import partial\ntimeit.timeit(partial(f, 1))",
        "import timeit\ndef measure(f):\n    return min(timeit.repeat(f, number=3))",
        "import timeit\ntimeit.timeit(maker(1), globals=globals())",
        "import timeit\ntimeit.timeit(cases[0])",
        "import timeit\ntimeit.timeit(box.f)",
        "import timeit\ntimeit.main(words)",
        "import pytest\npytest.main([__file__, '-q'])",
    ],
)
def test_what_is_timed_or_profiled_and_does_no_harm_is_spared(text: str) -> None:
    assert audit(text, "python").clean, audit(text, "python").findings
