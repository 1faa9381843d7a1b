"""Two entries that contradict each other, one of which changes before the operator says which stays."""

from pathlib import Path

from tests.blackbox.test_reviewing import ONE, PAID, TWO, told_when
from tests.blackbox.world import found
from tests.rows import each_row

ASKED = "1 line 5: - Ida's salary is 4000."
FENCED = f"```\n{TWO}```\n"


@each_row(
    "old,new,keys,said",
    [
        (ONE, "", ["s"], ""),
        (TWO, "", ["s"], ""),
        (TWO, FENCED, ["1", "s"], "That has no place in the file as it is now; answer it with y, n or e."),
    ],
)
def test_of_two_sides_of_which_one_went_meanwhile_neither_is_chosen(
    tmp_path: Path, old: str, new: str, keys: list[str], said: str
) -> None:
    world = found(tmp_path / f"{old[-6:-2]}{bool(new)}", memory=PAID.encode())
    world.ok("check")
    world.alter("MEMORY.md", old, new)
    ran, kinds = world.run("review", typed=told_when("s", *keys)), world.kinds()
    assert (ran.status, ASKED in ran.text, said in ran.text) == (0, bool(said), True), ran
    assert ("both are true" in ran.text, "decision.recorded" in kinds) == (bool(said), False)
