import argparse
import sys
from pathlib import Path

import pytest

from nightledger.surfaces.context import Context
from nightledger.surfaces.hook import running
from nightledger.surfaces.verbs import hook


def parsed(words: list[str], monkeypatch: pytest.MonkeyPatch) -> argparse.Namespace:
    monkeypatch.setattr(sys, "argv", ["nightledger", "hook", *words])
    parser = argparse.ArgumentParser()
    hook.configure(parser)
    return parser.parse_args(words)


def test_an_event_is_handed_on_with_its_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr(running, "main", calls.append)
    options = parsed(["codex", "UserPromptSubmit"], monkeypatch)
    context = Context(verb="hook", home=str(tmp_path), now_text=None, json=False)
    assert hook.run(options, context) == 0
    assert calls == [["--home", str(tmp_path), "--now", "", "codex", "UserPromptSubmit"]]


def test_wrong_options_end_silently_because_status_2_would_block_a_prompt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(["codex", "UserPromptSubmit", "--nonsense"], monkeypatch)
    assert ended.value.code == 0
    assert capsys.readouterr() == ("", "")
