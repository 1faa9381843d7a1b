import shutil
from pathlib import Path

import pytest

from nightledger.surfaces.doctor.checks import State
from nightledger.surfaces.doctor.program import check_program
from nightledger.trust import checkpoint


def messages(state: State, **given: object) -> list[str]:
    return [c.message for c in check_program(**given) if c.state is state]  # type: ignore[arg-type]


def write_lock(tmp_path: Path, text: str) -> str:
    (tmp_path / "requirements.lock").write_text(text)
    return str(tmp_path)


def test_this_checkout_has_what_it_needs() -> None:
    assert messages(State.BAD) == []
    assert any("packages" in message for message in messages(State.GOOD))


def test_a_missing_package_and_another_version_are_named(tmp_path: Path) -> None:
    checkout = write_lock(
        tmp_path,
        "# made\nno-such-package==1.0 \\\n    --hash=sha256:00\nmsgspec==0.0.1\n"
        "other-platform==2 ; sys_platform == 'win32'\n",
    )
    assert messages(State.BAD, checkout=checkout) == ["packages are missing: no-such-package"]
    assert [m for m in messages(State.NOTE, checkout=checkout) if "msgspec" in m]
    assert not [m for m in messages(State.NOTE, checkout=checkout) if "other-platform" in m]


def test_what_the_platform_lacks_is_noted_and_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "has_mldsa", lambda: False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    notes = messages(State.NOTE)
    assert any("has no ML-DSA" in message for message in notes)
    assert any("ssh-keygen is missing" in message for message in notes)
    assert messages(State.BAD) == []
