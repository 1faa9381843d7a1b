"""Heads of a log and the lines that sign them: published examples. What is nearly one, ``tests/blackbox`` has."""

import struct

from nightledger.trust.note import (
    Checkpoint,
    cosigned_ed25519,
    cosigned_mldsa44,
    dump_checkpoint,
    parse_checkpoint,
    parse_note,
)

# The example of c2sp.org/tlog-checkpoint@v1.0.0 (its key is not published).
C2SP = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo"
    "+zyWE+xeMcTOAYQ8=\n"
)


def test_the_published_checkpoint_is_read_and_written() -> None:
    text = parse_note(C2SP.encode()).text
    checkpoint = parse_checkpoint(text)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20_852_163)
    assert checkpoint.root.hex() == "0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62"
    assert dump_checkpoint(checkpoint) == text


HEAD = Checkpoint(origin="nightledger/atlas", size=259, root=bytes(range(32)))


def test_the_ed25519_message_is_that_of_the_specification() -> None:
    # The example of c2sp.org/tlog-cosignature, "Ed25519 signed message".
    text = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    expected = (
        b"cosignature/v1\ntime 1679315147\nexample.com/behind-the-sofa\n20852163\n"
        b"CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    )
    assert cosigned_ed25519(text, 1_679_315_147) == expected


def test_the_mldsa_message_is_the_structure_of_the_specification() -> None:
    expected = (
        b"subtree/v1\n\x00"
        + struct.pack(">B", 13)
        + b"cosigner-name"
        + struct.pack(">Q", 1_772_334_307)
        + struct.pack(">B", 17)
        + b"nightledger/atlas"
        + struct.pack(">QQ", 0, 259)
        + bytes(range(32))
    )
    assert cosigned_mldsa44("cosigner-name", HEAD, 1_772_334_307) == expected
    assert len(b"subtree/v1\n\x00") == 12
