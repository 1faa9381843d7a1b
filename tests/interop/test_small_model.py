"""The analyst's way to a model and back, over HTTP, to a real server that holds a model to our schemas.

It proves the wire and not the wisdom: the model is noise (`small_model.py`). What comes back is of the form that was asked for,
is judged like any answer, ends no night and reaches no memory.
"""

import http.client
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.blackbox.world import World, found

from nightledger.codec.records import find_problems

PYTHON = os.environ.get("MODEL_PYTHON", "")
pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(not PYTHON, reason="MODEL_PYTHON is not set: make test-model"),
]
SEED = 1
"""Of the noise: one whose answers name something."""
PATIENCE_S = 120
MOST_TOKENS = 60_000
"""Of a night; each byte is one."""
FILLER = (
    "The quay was swept on the second day of the week by the three men of the early shift, as in each week."
)
LONG = f"The crane stands at the north pier. {FILLER} Its brake slips in the wet. {FILLER} Never move it in a storm."
MEMORY = f"# MEMORY.md\n\n## Harbour\n\n- Backups are kept for 30 days.\n- {LONG}\n"
NOTES = "- The NAS spins down after 20 minutes, so the first request times out.\n- Keep the backups for 90 days now."


class Served:
    """A server of the model, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        program = Path(__file__).with_name("small_model.py")
        words = [os.path.abspath(PYTHON), str(program), str(folder / "noise.gguf"), str(SEED)]
        with (folder / "server.log").open("wb") as log:
            self.process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self.process.stdout is not None
        self.url = f"{self.process.stdout.readline().strip()}/v1/chat/completions"
        assert self.url.startswith("http://127.0.0.1:"), (folder / "server.log").read_text()[-2000:]

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = Served(tmp_path_factory.mktemp("model"))
    yield running
    running.stop()


@pytest.fixture
def world(served: Served, tmp_path: Path) -> World:
    made = found(tmp_path, memory=MEMORY)
    made.write("memory/2026-03-01.md", f"# 2026-03-01\n\n## NAS\n\n{NOTES}\n")
    name_model(made, served, PATIENCE_S)
    return made


def name_model(world: World, served: Served, patience_s: int) -> None:
    told = {"url": served.url, "model": "noise", "patience_s": patience_s, "tokens_a_night": MOST_TOKENS}
    path = world.keys / "operator.yaml"
    path.write_text(json.dumps({"analyst": told}))
    path.chmod(0o600)


def transcript(world: World) -> list[dict[str, Any]]:
    return [json.loads(line) for line in world.read("memory/system/analyst.jsonl").splitlines()]


def record(world: World) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(world.read("memory/system/consolidation-log.jsonl").splitlines()[-1])[
        "analyst"
    ]
    return run


def test_it_is_the_schema_that_keeps_noise_in_the_form_of_an_answer(served: Served) -> None:
    asked = {
        "messages": [{"role": "user", "content": "Answer with JSON."}],
        "temperature": 0,
        "max_tokens": 64,
    }
    asking = http.client.HTTPConnection(urlsplit(served.url).netloc, timeout=PATIENCE_S)
    with closing(asking):
        asking.request(
            "POST", urlsplit(served.url).path, json.dumps(asked), {"Content-Type": "application/json"}
        )
        text = json.load(asking.getresponse())["choices"][0]["message"]["content"]
    with pytest.raises(ValueError, match="line 1"):
        json.loads(text)


def test_a_night_asks_about_notes_and_blocks_and_whatever_noise_says_memory_stays(world: World) -> None:
    world.night(2)
    run = record(world)
    assert (run["calls"], run["problem"]) == (2, "")
    assert 0 < run["tokens"] < MOST_TOKENS
    drafted, of_block = transcript(world)
    answer = json.loads(drafted["answer"])
    assert find_problems("analyst-draft", answer) == ()
    assert len(answer["operations"]) == run["operations"] > 0
    assert run["proposed"] + sum(run["refused"].values()) == run["operations"]
    assert sum(run["blocks"].values()) == 1
    assert of_block["answer"] == "null" or run["blocks"] == {"said": 1}
    assert world.read() == MEMORY
    assert "model noise, night of 2026-03-01" in " ".join(world.ok("status").split())
    assert world.run("verify").status == 0


def test_a_check_up_asks_about_memory_and_judges_what_noise_names(world: World) -> None:
    told = world.json("check")["analyst"]
    assert (told["calls"], told["problem"]) == (1, "")
    answer = json.loads(transcript(world)[0]["answer"])
    assert find_problems("analyst-checkup", answer) == ()
    assert len(answer["operations"]) == told["operations"] > 0
    assert told["proposed"] + sum(told["refused"].values()) == told["operations"]
    assert world.read() == MEMORY


def test_a_server_that_hangs_leaves_the_night_to_the_rules(world: World, served: Served) -> None:
    name_model(world, served, 1)
    served.process.send_signal(signal.SIGSTOP)
    try:
        world.night(2)
    finally:
        served.process.send_signal(signal.SIGCONT)
    assert "did not answer within 1 s" in record(world)["problem"]
    assert world.read() == MEMORY
