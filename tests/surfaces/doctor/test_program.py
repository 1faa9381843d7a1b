import shutil
from pathlib import Path

import pytest

from nightledger.domain.errors import ConfigurationError
from nightledger.surfaces.context import CHECKOUT
from nightledger.surfaces.doctor.checks import State
from nightledger.surfaces.doctor.program import check_program, read_locked
from nightledger.trust import cosignature


def messages(state: State, **given: object) -> list[str]:
    return [c.message for c in check_program(**given) if c.state is state]  # type: ignore[arg-type]


def write_lock(tmp_path: Path, text: str) -> str:
    (tmp_path / "requirements.lock").write_text(text)
    return str(tmp_path)


def test_this_checkout_has_what_it_needs() -> None:
    assert messages(State.BAD) == []
    assert any("packages" in message for message in messages(State.GOOD))


def test_an_old_interpreter_is_to_be_replaced() -> None:
    assert messages(State.BAD, python=(3, 10)) == ["Python 3.10 is too old; 3.11 is needed"]


def test_a_missing_package_and_another_version_are_named(tmp_path: Path) -> None:
    checkout = write_lock(
        tmp_path,
        "# made\nno-such-package==1.0 \\\n    --hash=sha256:00\nmsgspec==0.0.1\n"
        "other-platform==2 ; sys_platform == 'win32'\n",
    )
    assert messages(State.BAD, checkout=checkout) == ["packages are missing: no-such-package"]
    assert [m for m in messages(State.NOTE, checkout=checkout) if "msgspec" in m]
    assert not [m for m in messages(State.NOTE, checkout=checkout) if "other-platform" in m]


def test_a_package_with_a_version_for_each_platform_may_have_any_of_them(tmp_path: Path) -> None:
    locked = read_locked(
        write_lock(tmp_path, "a==1 ; python_version < '3.12'\na==2 ; python_version >= '3.12'\nb==3\n")
    )
    assert [(item.name, sorted(item.versions), item.everywhere) for item in locked] == [
        ("a", ["1", "2"], False),
        ("b", ["3"], True),
    ]


def test_an_incomplete_checkout_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"requirements\.lock is missing"):
        read_locked(str(tmp_path))
    assert read_locked(CHECKOUT)


def test_a_lock_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_bytes(b"msgspec==\xff\n")
    with pytest.raises(ConfigurationError, match=r"requirements\.lock cannot be read: 'utf-8' codec"):
        read_locked(str(tmp_path))
    lock.unlink()
    lock.mkdir()
    with pytest.raises(ConfigurationError, match=r"requirements\.lock cannot be read: .*directory"):
        read_locked(str(tmp_path))


def test_what_the_platform_lacks_is_noted_and_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cosignature, "has_mldsa", lambda: False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    notes = messages(State.NOTE)
    assert any("has no ML-DSA" in message for message in notes)
    assert any("ssh-keygen is missing" in message for message in notes)
    assert messages(State.BAD) == []
