import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.trust.checkpoint import Checkpoint, dump_checkpoint, log_origin, parse_checkpoint
from nightledger.trust.note import NoteError, parse_note

# The example of c2sp.org/tlog-checkpoint@v1.0.0 (its key is not published).
C2SP = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo"
    "+zyWE+xeMcTOAYQ8=\n"
)
ROOT = base64.b64encode(bytes(32)).decode()


def test_the_published_checkpoint_is_read_and_written() -> None:
    text = parse_note(C2SP.encode()).text
    checkpoint = parse_checkpoint(text)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20_852_163)
    assert checkpoint.root.hex() == "0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62"
    assert dump_checkpoint(checkpoint) == text


@given(size=st.integers(min_value=0, max_value=2**63 - 1), root=st.binary(min_size=32, max_size=32))
def test_every_head_has_one_text(size: int, root: bytes) -> None:
    head = Checkpoint(origin="nightledger/x", size=size, root=root)
    assert parse_checkpoint(dump_checkpoint(head)) == head


@each_row(
    "text",
    [
        "",
        "log\n",
        f"log\n1\n{ROOT}",
        f"log\n1\n{ROOT}\n\n",
        f"log\n1\n{ROOT}\nextension\n",
        f"\n1\n{ROOT}\n",
        f"log\n01\n{ROOT}\n",
        f"log\n-1\n{ROOT}\n",
        f"log\n+1\n{ROOT}\n",
        f"log\n 1\n{ROOT}\n",
        f"log\n1_0\n{ROOT}\n",
        f"log\n\u0661\n{ROOT}\n",
        f"log\n\n{ROOT}\n",
        f"log\n{2**63}\n{ROOT}\n",
        f"log\n{'9' * 5000}\n{ROOT}\n",
        "log\n1\nAAAA\n",
        f"log\n1\n{ROOT[:-1]}\n",
        f"log\n1\n {ROOT}\n",
    ],
)
def test_what_is_nearly_a_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        parse_checkpoint(text)


@pytest.mark.parametrize(
    ("origin", "size", "root"),
    [("a\nb", 1, bytes(32)), ("", 1, bytes(32)), ("a", -1, bytes(32)), ("a", 1, bytes(31))],
)
def test_what_could_not_be_read_back_is_not_written(origin: str, size: int, root: bytes) -> None:
    with pytest.raises(NoteError):
        dump_checkpoint(Checkpoint(origin=origin, size=size, root=root))


def test_a_simulated_home_says_so_on_every_checkpoint() -> None:
    assert log_origin("ab" * 16, simulated=False) == "nightledger/" + "ab" * 16
    assert log_origin("ab" * 16, simulated=True) == "nightledger-simulated/" + "ab" * 16
