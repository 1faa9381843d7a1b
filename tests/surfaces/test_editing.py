from pathlib import Path

import pytest

from nightledger.domain.errors import ConfigurationError, UsageError
from nightledger.surfaces.editing import edit_text


def script(root: Path, text: str) -> str:
    path = root / "an editor.sh"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return f"'{path}' --wait"


def test_what_was_saved_comes_back_byte_for_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", script(tmp_path, 'cp "$2" "$0.seen"; printf "new\\377" > "$2"'))
    monkeypatch.setenv("EDITOR", "false")
    assert edit_text(b"old\xff\r\n") == b"new\xff"
    assert (tmp_path / "an editor.sh.seen").read_bytes() == b"old\xff\r\n"


def test_editor_stands_in_for_visual_and_vi_for_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "true")
    assert edit_text(b"same") == b"same"
    monkeypatch.delenv("EDITOR")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with pytest.raises(ConfigurationError, match="the editor 'vi' cannot be run"):
        edit_text(b"")


def test_without_a_terminal_no_editor_is_started_that_nobody_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    started = tmp_path / "vi"
    started.write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\n")
    started.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(UsageError, match="no terminal for an editor") as caught:
        edit_text(b"x")
    assert "--from FILE" in (caught.value.hint or "")
    assert not (tmp_path / "started").exists()


def test_an_editor_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "false")
    with pytest.raises(ConfigurationError, match="ended with status 1"):
        edit_text(b"x")
