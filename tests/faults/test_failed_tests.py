import os
import subprocess
import sys
from pathlib import Path

from bench.faults_report import Row, add_up, main, read_rows

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest
from tests.faults.failed_tests import has_failed
from tests.faults.sweep_report import report

@pytest.fixture(autouse=True)
def counted(request):
    yield
    report("an attack", request.node.name, points=1, failed=int(has_failed(request)))

def test_one_that_holds():
    pass

def test_one_that_comes_through():
    assert False

def test_one_that_is_left_out():
    pytest.skip("not here")
"""


def run(folder: Path) -> tuple[Row, ...]:
    """Run those tests as ``make test-faults`` would; give the rows."""
    (folder / "test_attacks.py").write_text(TESTS)
    words = ("-q", "-p", "tests.faults.failed_tests", "-p", "no:cacheprovider", "-p", "no:randomly")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "--rootdir", str(folder), str(folder)],
        cwd=ROOT,
        env={
            **os.environ,
            "NIGHTLEDGER_FAULTS": str(folder / "rows"),
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'scripts'}",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stdout
    return add_up(read_rows(folder / "rows"))


def test_an_attack_that_came_through_is_in_the_table_and_fails_it(tmp_path: Path) -> None:
    assert run(tmp_path) == (
        Row(sweep="an attack", points=3, failed=1),
        Row(sweep="left out: not here", points=0),
        Row(sweep="tests that failed", points=1, failed=1),
    )
    document = tmp_path / "page.md"
    document.write_text("<!-- faults: make report-faults -->\n<!-- /faults -->\n")
    assert main(["--rows", str(tmp_path / "rows"), "--document", str(document)]) == 1
    assert "| tests that failed | 1 | 1 |" in document.read_text()
