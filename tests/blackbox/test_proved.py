"""What a home gives out for others to check: proofs and continuations."""

from pathlib import Path

from tests.blackbox import notes
from tests.blackbox.forge import leaf_hash
from tests.blackbox.notes import OWNER, b64, note_of, text_of
from tests.blackbox.world import LOG, World, sha256

USAGE, ALARM, WRONG_INPUT = 2, 4, {1, 2}


# ---------------------------------------------------------------- out of a home


def log_lines(world: World) -> list[bytes]:
    return (world.home / LOG).read_bytes().splitlines()


def expected_proof(world: World, index: int, *, with_line: bool) -> str:
    lines = log_lines(world)
    path = notes.inclusion([leaf_hash(one) for one in lines], index)
    extra = [f"extra {b64(lines[index])}"] if with_line else []
    head = "\n".join(["c2sp.org/tlog-proof@v1", *extra, f"index {index}", *map(b64, path)])
    return f"{head}\n\n{world.read('audit/checkpoint')}"


def test_what_a_home_proves_is_the_standards_proof_of_each_entry(world: World, tmp_path: Path) -> None:
    name = world.applied("Label both ends of a cable.")
    lines, out = log_lines(world), tmp_path / "out"
    policy = ("--policy", str(world.home / "config/nightledger/policy"))
    for index in range(len(lines)):
        assert world.ok("verify", "--prove", str(index)) == expected_proof(world, index, with_line=False)
        world.ok("verify", "--prove", str(index), "--with-line", "--out", str(out))
        assert out.read_text() == expected_proof(world, index, with_line=True)
        assert world.run("verify", "--proof", str(out), *policy).status == 0
    own = max(n for n, one in enumerate(world.events()) if one in world.named("proposal.created"))
    shown = world.json("verify", "--prove", name)
    last = shown["entry"]
    assert last >= own
    assert name.encode() in lines[last]
    wire = expected_proof(world, last, with_line=False)
    expected = {"entry": last, "line": lines[last].decode(), "size": len(lines), "proof": wire, "path": None}
    expected |= {"origin": world.events()[0]["origin"], "cosigned": True}
    assert shown == {**expected, "hashes": wire.partition("\n\n")[0].split("\n")[2:]}
    for words in ((str(len(lines)),), ("p-none",), ("-1",), ()):
        assert world.run("verify", "--prove", *words).status in WRONG_INPUT, words


def test_what_a_proof_would_pass_over_is_refused(adopted: World, tmp_path: Path) -> None:
    world, out = adopted.copy(tmp_path), str(tmp_path / "out")
    alone = (["--line", "x"], ["--leaf=none"], ["--log", "none"], ["--out", out], ["--with-line"])
    passed_over = (["--against", "none"], ["--policy", "none"], ["--continues", "1"], ["--proof", "none"])
    asked = (*alone, *(["--prove", "0", *more] for more in passed_over))
    rows = (["doctor", "--dry-run"], ["curate", "--all"], *(["verify", *words] for words in asked))
    assert [words for words in rows if world.run(*words).status != USAGE] == []
    assert not Path(out).exists()


def test_a_home_proves_that_it_continues_its_own_heads_and_no_others(world: World, tmp_path: Path) -> None:
    early = tmp_path / "early"
    early.write_text(world.read("audit/checkpoint"))
    world.applied("Label both ends of a cable.")
    lines = log_lines(world)
    hashes = [leaf_hash(one) for one in lines]
    first = int(early.read_text().split("\n")[1])
    for old in (*range(1, len(lines) + 1), str(early)):
        size = first if isinstance(old, str) else old
        proof = "\n".join([f"old {size}", *map(b64, notes.consistency(hashes, size))])
        wire = f"{proof}\n\n{world.read('audit/checkpoint')}"
        assert world.ok("verify", "--continues", str(old)) == wire
    kept = world.read(f"audit/checkpoints/{first}")
    assert world.ok("verify", "--continues", "1", str(first)).endswith(f"\n\n{kept}")
    for old, status in {
        "0": WRONG_INPUT,
        str(len(lines) + 1): WRONG_INPUT,
        str(tmp_path / "nowhere"): WRONG_INPUT,
        notes_file(tmp_path, note_of(text_of(lines[:2]), OWNER)): {ALARM},
        notes_file(tmp_path, early.read_text().partition("\n\n")[0] + "\n\n" + OWNER.line("x")): {ALARM},
    }.items():
        assert world.run("verify", "--continues", old).status in status, old
    for one, two in ((str(len(lines)), "1"), ("1", str(len(lines) + 1)), ("1", "0")):
        assert world.run("verify", "--continues", one, two).status in WRONG_INPUT, (one, two)
    longer = world.copy(tmp_path / "longer")
    longer.propose("Count the ladders.")
    ahead = tmp_path / "ahead"
    ahead.write_text(longer.read("audit/checkpoint"))
    for words in (("verify", "--continues", str(ahead)), ("verify", "--against", str(ahead))):
        world.tells("ROLLBACK", *words, status=ALARM)
    world.wait(minutes=1)
    for text in ("Count the stairs.", "Count the doors."):
        world.propose(text)
    for words in (("verify", "--continues", str(ahead)), ("verify", "--against", str(ahead))):
        world.tells("FORK", *words, status=ALARM)
    assert world.run("verify", "--against", str(early)).status == 0


def notes_file(folder: Path, text: str) -> str:
    path = folder / sha256(text.encode())
    path.write_text(text)
    return str(path)
