import pytest

from nightledger.text.code.audit import audit


@pytest.mark.parametrize(
    "text",
    [
        "import os",
        "import os.path",
        "import os\nos.sendmail()",
        "from ctypes import wintypes",
        "import os\nprint(os)",
        "import socket as s\ns.odd()",
    ],
)
def test_a_denied_import_is_found_unless_its_use_is_seen_to_do_no_harm(text: str) -> None:
    assert {finding.rule for finding in audit(text).findings} == {"code.import"}


@pytest.mark.parametrize(
    "text",
    [
        "import os\nos.path.join('a')",
        "from os import path, environ, sep",
        "import sys\nsys.exit()",
        "from . import os",
        "from .os import system",
        "import os as o\np = o\np.getcwd()",
        "import os\nif 'A' in os.environ: x = os.environ['A']",
    ],
)
def test_a_denied_import_that_does_no_harm_is_a_note_at_most(text: str) -> None:
    assert audit(text).clean, audit(text).findings


def test_a_denied_import_whose_use_is_found_is_not_told_twice() -> None:
    told = audit("import os\nos.system('a')")
    assert [finding.rule for finding in told.findings] == ["code.process"]
    assert told.notes == ()
