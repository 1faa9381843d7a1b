"""The answers that ship with the invented days fit the questions that are asked of them today."""

from bench.bench_think import World, night_of, worlds
from tests.rows import each_row

from nightledger.think.analyst import RecordedServer


@each_row("world", list(worlds()), ids=lambda world: world.name)
def test_each_invented_day_is_answered_from_its_record(world: World) -> None:
    changes, run = night_of(world, RecordedServer(folder=str(world.answers)))
    assert run is not None
    again = (
        "the question changed (prompt, notes or memory): run 'make bench-think RECORD=1' and answer it anew"
    )
    assert not run.problem, f"{again}; {run.problem}"
    assert (len(changes) > 0, run.calls) == (True, 1)
