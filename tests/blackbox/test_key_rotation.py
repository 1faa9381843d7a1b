"""Keys take over from one another, whatever cuts them short, and keys of other kinds sign through ``ssh-keygen``."""

import shutil
import subprocess
from pathlib import Path

from tests.blackbox.world import World, yes


def put(world: World, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = world.own_keys / name
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        path.chmod(0o644 if name.endswith(".pub") else 0o600)


def operator_files(world: World) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in world.own_keys.glob("operator*")}


def test_a_key_that_waits_takes_over_and_the_one_before_is_kept(adopted: World, tmp_path: Path) -> None:
    world = adopted.copy(tmp_path / "world")
    old, new = operator_files(world), made_by(adopted, tmp_path / "made")
    put(world, {"operator.next": new["operator"], "operator.next.pub": new["operator.pub"]})
    world.ok("key", "rotate", "--no-passphrase", typed=yes)
    done = operator_files(world)
    kept = {name: content for name, content in done.items() if ".before-" in name}
    assert done.keys() == {"operator", "operator.pub", *kept}
    assert done["operator"] == new["operator"]
    assert done["operator.pub"].split()[1] == new["operator.pub"].split()[1]
    assert sorted(kept.values()) == sorted(old.values())


def made_by(adopted: World, root: Path) -> dict[str, bytes]:
    """Give the files of a key that a rotation elsewhere made."""
    world = adopted.copy(root)
    world.ok("key", "rotate", "--no-passphrase", typed=yes)
    return {name: operator_files(world)[name] for name in ("operator", "operator.pub")}


def test_a_rotation_cut_short_anywhere_is_finished_and_loses_no_key(adopted: World, tmp_path: Path) -> None:
    world = adopted.copy(tmp_path / "world")
    old, new = operator_files(world), made_by(adopted, tmp_path / "made")
    waits = {"operator.next": new["operator"], "operator.next.pub": new["operator.pub"]}
    put(world, waits)
    world.ok("key", "rotate", "--no-passphrase", typed=yes)
    left = {"operator.next.pub": new["operator.pub"]}
    stages: tuple[dict[str, bytes], ...] = (
        {**old, **waits},
        {"operator": new["operator"], "operator.pub": old["operator.pub"], **left},
        {**new, **left},
    )
    for n, files in enumerate(stages):
        cut = world.copy(tmp_path / str(n))
        for path in cut.own_keys.glob("operator*"):
            path.unlink()
        put(cut, files)
        cut.ok("key", "restore", typed=yes)
        found = operator_files(cut)
        assert found["operator"] == new["operator"], n
        assert found["operator.pub"].split()[1] == new["operator.pub"].split()[1], n
        assert "operator.next" not in found, n
        assert {*files.values()} <= {*found.values()} | {new["operator.pub"]}, "no key is lost"
        modes = [(cut.own_keys / name).stat().st_mode & 0o777 for name in ("operator", "operator.pub")]
        assert modes == [0o600, 0o644], n
        cut.ok("key", "rotate", "--no-passphrase", typed=yes)
        cut.applied(f"Oil the hinge {n}.")
        cut.ok("verify")


FAKES = {
    "missing": None,
    "refuses": "#!/bin/sh\necho no >&2\nexit 1\n",
    "says nothing": "#!/bin/sh\nexit 0\n",
    "says something else": "#!/bin/sh\necho hello\n",
    "signs another text": '#!/bin/sh\nfor last; do :; done\necho x | {} -q -Y sign -f "$5" -n "$7"\n',
}


def test_a_key_of_another_kind_signs_through_ssh_keygen_what_holds(adopted: World, tmp_path: Path) -> None:
    world = adopted.copy(tmp_path / "world")
    desk = tmp_path / "desk"
    made = ["ssh-keygen", "-q", "-t", "ecdsa", "-b", "256", "-N", "", "-C", "k", "-f", str(desk)]
    subprocess.run(made, check=True)
    world.ok("key", "rotate", str(desk) + ".pub", typed=yes)
    (world.own_keys / "operator").unlink(missing_ok=True)
    shutil.copy(desk, world.own_keys / "operator")
    (world.own_keys / "operator").chmod(0o600)
    name = world.propose("Count the ladders.")
    keygen = shutil.which("ssh-keygen")
    before = world.events()
    for what, script in FAKES.items():
        folder = tmp_path / what.replace(" ", "-")
        folder.mkdir()
        if script is not None:
            (folder / "ssh-keygen").write_text(script.replace("{}", str(keygen)))
            (folder / "ssh-keygen").chmod(0o755)
        world.environment = {"PATH": str(folder)}
        ran = world.approve(name)
        assert 0 < ran.status < 5, (what, ran)
        assert [one["event"] for one in world.events()[len(before) :]] == [], what
    world.environment = {}
    world.accept(name)
    assert "Count the ladders." in world.read()
    world.ok("verify")
    assert world.second_look()[0] == 0
