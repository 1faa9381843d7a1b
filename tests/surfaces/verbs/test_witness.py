from pathlib import Path

from tests.surfaces.console import Console

from nightledger.trust.policy import parse_policy


def test_a_policy_keeps_this_home_s_logs_whatever_the_file_says(console: Console) -> None:
    def logs() -> object:
        return parse_policy(Path(console.home.policy).read_bytes(), where="policy").logs

    before, lines = logs(), console.desk.root / "lines"
    lines.write_text("quorum none\n")
    console.out("witness", "trust", str(lines))
    assert logs() == before
    lines.write_text("nonsense\n")
    assert "is no word of a policy" in console.refused("witness", "trust", str(lines))
