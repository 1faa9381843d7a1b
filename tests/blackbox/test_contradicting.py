"""Two entries that contradict each other, one of which changes before the operator says which stays."""

from pathlib import Path

from tests.blackbox.test_reviewing import ONE, PAID, TWO, told_when
from tests.blackbox.world import found
from tests.rows import each_row

ASKED = "1 line 5: - Ida's salary is 4000."
HIDDEN = f"<!--\n{TWO}-->\n"


@each_row(
    "old,new,keys,said",
    [
        (ONE, "", ["s"], ""),
        (TWO, "", ["s"], ""),
        (TWO, HIDDEN, ["1", "s"], "That has no place in the file as it is now; answer it with y, n or e."),
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


def test_where_the_file_cannot_be_read_any_more_no_side_is_offered(tmp_path: Path) -> None:
    world = found(tmp_path, memory=PAID.encode())
    world.ok("check")
    file, offered = world.home / "MEMORY.md", []

    def led(shown: str) -> str:
        offered.append("both are true" in shown)
        file.unlink(missing_ok=True)
        file.symlink_to("/etc/hostname")
        return "v" if len(offered) == 1 else "s"

    world.run("review", typed=led)
    assert offered == [True, False]
