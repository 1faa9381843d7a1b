from tests.rows import each_row

from nightledger.text.code.audit import audit
from nightledger.text.code.files import written
from nightledger.text.code.folding import HOLE, TEMPORARY


@each_row(
    ("place", "rule"),
    [
        ("report.json", "code.published"),
        ("out/table.csv", "code.published"),
        ("/tmp/table.csv", "code.published"),  # noqa: S108 - a place that snippets name
        (TEMPORARY + "/a.py", "code.published"),
        (TEMPORARY + "/../a.py", "code.write"),
        ("../table.csv", "code.write"),
        ("/srv/table.csv", "code.write"),
        ("~/table.csv", "code.write"),
        ("/tmp/app.log", "code.write"),  # noqa: S108 - a place that snippets name
        ("table." + HOLE, "code.write"),
        (HOLE + "/table.csv", "code.write"),
        ("a.py", "code.write"),
        ("notes.md", "code.write"),
        ("MEMORY.md", "code.startup"),
        ("memory/2026-03-01.md", "code.startup"),
        ("~/.bashrc", "code.startup"),
        ("/etc/cron.d/a", "code.startup"),
        (HOLE + "/.ssh/authorized_keys", "code.startup"),
        ("/usr/lib/python3/site-packages/a.pth", "code.startup"),
    ],
)
def test_a_write_is_judged_by_its_place(place: str, rule: str) -> None:
    assert written((place,), "open").rule == rule


def test_a_place_that_is_not_told_may_be_anything() -> None:
    assert written((), "open").rule == "code.write"
    assert written(("a.csv", HOLE), "open").rule == "code.write"


@each_row(
    ("text", "rule"),
    [
        ("open(a, m)", "code.write"),
        ("open('a.py', 'r+')", "code.write"),
        ("open(*a)", "code.write"),
        ("open(**a)", "code.write"),
        ("import gzip\ngzip.open('a.py', 'wt')", "code.write"),
        ("import zipfile\nzipfile.ZipFile('a.zip', 'w')", "code.write"),
        ("import os\nos.open('a', os.O_RDWR)", "code.write"),
        ("import os\nos.open('a', flags)", "code.write"),
        (
            "import fileinput\nfor line in fileinput.input('MEMORY.md', inplace=True): print(line)",
            "code.startup",
        ),
        (
            "import fileinput, glob\nfor line in fileinput.input(glob.glob('memory/*.md'), inplace=True): print(line)",
            "code.startup",
        ),
        ("import fileinput, glob\nfileinput.FileInput(glob.glob('*.py'), True)", "code.write"),
        ("import fileinput\nfileinput.input(inplace=1)", "code.write"),
        ("import fileinput\nfileinput.input(['a.csv', 'b.py'], inplace=quiet)", "code.write"),
        ("import fileinput\nfileinput.input(**how)", "code.write"),
        ("import dbm\ndbm.open('a', flag='n')", "code.write"),
        ("import dbm\ndbm.open('a', how)", "code.write"),
        ("import dbm.dumb\ndbm.dumb.open('a')", "code.write"),
        ("import wave\nwave.open(place, 'wb')", "code.write"),
        (
            "import tempfile\ntempfile.NamedTemporaryFile('w', dir='/etc/cron.d', delete=False)",
            "code.startup",
        ),
        ("import zipfile\nzipfile.ZipFile('a').extractall()", "code.write"),
        ("import tarfile\ntarfile.open('a').extractall('.', filter='data')", "code.write"),
        ("import tarfile\ntarfile.open('a').extractall()", "code.write"),
        ("import zipfile\nzipfile.ZipFile('a').extractall('/')", "code.write"),
        ("import zipfile\nzipfile.ZipFile('a').extract('b', '/etc/cron.d/')", "code.startup"),
        ("x.write_bytes(b'a')", "code.write"),
        ("x.open('w')", "code.write"),
        ("from pathlib import Path\nPath('/etc/x').touch()", "code.startup"),
        ("frame.to_csv('/etc/cron.d/x')", "code.startup"),
        ("import logging\nlogging.FileHandler('/etc/x')", "code.startup"),
        ("open('/home/ada/.netrc')", "code.secret"),
        ("from pathlib import Path\nPath.home() / '.aws' / 'credentials'", "code.secret"),
        ("x.load('~/.ssh/id_ed25519')", "code.secret"),
    ],
)
def test_what_is_written_or_read_where_it_matters_is_found(text: str, rule: str) -> None:
    assert rule in {finding.rule for finding in audit(text).findings}


@each_row(
    "text",
    [
        "import os\nos.open('a', os.O_RDONLY)",
        "import fileinput\nfor line in fileinput.input(['a', 'b']): print(line)",
        "import fileinput\nfor line in fileinput.input('a', inplace=False): print(line)",
        "import fileinput\nfor line in fileinput.input('rows.csv', inplace=True): print(line)",
        "import dbm\nwith dbm.open('a') as table: print(table['k'])",
        "import dbm\ndbm.open('a', 'r')",
        "import tarfile\ntarfile.open('a').extractall('out', filter='data')",
        "import tempfile, zipfile\nzipfile.ZipFile('a').extractall(tempfile.mkdtemp())",
        "frame.extract('a')",
        "def test(tmp_path):\n    (tmp_path / 'a').unlink()\n    (tmp_path / 'b').write_bytes(b'')",
        "import tempfile\nwith open(tempfile.mkstemp()[1], 'w') as f: f.write('')",
        "class Tree:\n    def unlink(self): ...\nTree().unlink()",
        "gate.open('slow')",
        "print('~/.ssh/id_rsa')",
        "import re\nre.compile('/etc/shadow')",
    ],
)
def test_what_stays_where_it_is_made_is_spared(text: str) -> None:
    assert audit(text).clean, audit(text).findings
