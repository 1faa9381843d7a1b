"""The rules of c2sp.org/tlog-witness, one by one, and the promise behind them: one history a log, never back."""

import base64
import hashlib
import os
import stat
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.trust.witnesses import LOG, NOON, LogSigner, cosigner, head_of, lines_of, note_of, tree_of
from tests.whole import examples

from nightledger.domain.errors import ConfigurationError, LockedError, RecordError
from nightledger.files.lock import Lock
from nightledger.remote.cosigner import (
    MAX_REQUEST_BYTES,
    Answer,
    Cosigner,
    WitnessError,
    add_logs,
    create_witness,
    open_witness,
)
from nightledger.trust import keys
from nightledger.trust.checkpoint import Checkpoint, parse_checkpoint
from nightledger.trust.cosignature import has_mldsa
from nightledger.trust.keys import KeyFileError, create_witness_keys
from nightledger.trust.merkle import EMPTY_ROOT, Tree, leaf_hash
from nightledger.trust.note import VerifierKey, dump_note, parse_note, sign_note
from nightledger.trust.policy import Policy, Witness, cosigned_times
from nightledger.trust.proof import Continuation, dump_continuation

NAME = "witness.example/harbour"
SHA = hashlib.sha256(LOG.encode()).hexdigest()


@pytest.fixture(scope="session")
def keys_of_a_witness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("witness-keys")
    create_witness_keys(directory)
    return directory


@pytest.fixture
def directory(tmp_path: Path, keys_of_a_witness: Path) -> Path:
    made = tmp_path / "witness"
    made.mkdir(mode=0o700)
    for key in keys_of_a_witness.iterdir():
        (made / key.name).write_bytes(key.read_bytes())
        (made / key.name).chmod(0o600)
    return made


@pytest.fixture
def box(directory: Path) -> Cosigner:
    create_witness(directory, NAME)
    return add_logs(directory, [LogSigner().key])


def request(
    tree: Tree, old: int, size: int | None = None, *, proof: tuple[bytes, ...] | None = None
) -> bytes:
    wanted = tree.size if size is None else size
    hashes = tree.consistency_proof(old, wanted) if proof is None and 0 < old <= wanted else proof or ()
    checkpoint = note_of(head_of(tree, wanted))
    return dump_continuation(Continuation(old_size=old, hashes=hashes, checkpoint=checkpoint))


def cosigned(box: Cosigner, raw: bytes, answer: Answer) -> dict[str, datetime]:
    """Read an answer as the client of the specification does: behind the checkpoint that was asked for."""
    assert answer.status == 200, answer
    note = parse_note(raw.partition(b"\n\n")[2] + answer.body)
    named = tuple(Witness(name=str(n), key=key) for n, key in enumerate(box.vkeys))
    return cosigned_times(note, Policy(witnesses=named))


def test_a_log_grows_and_each_head_is_cosigned_with_the_time(box: Cosigner) -> None:
    tree = tree_of(9)
    for minute, (old, size) in enumerate([(0, 1), (1, 4), (4, 4), (4, 9)]):
        now = NOON + timedelta(minutes=minute)
        raw = request(tree, old, size)
        assert cosigned(box, raw, box.answer(raw, now)) == {str(n): now for n in range(len(box.vkeys))}
        kept = box.checkpoint(SHA)
        assert kept is not None
        assert parse_checkpoint(parse_note(kept).text).size == size
        assert len(parse_note(kept).signatures) == 1 + len(box.vkeys)


def test_both_kinds_of_lines_are_made_where_the_platform_can(box: Cosigner) -> None:
    assert [key.key_type for key in box.vkeys] == [0x04, 0x06][: 1 + has_mldsa()]
    assert {key.name for key in box.vkeys} == {NAME}


def test_an_empty_log_is_cosigned_and_may_grow(box: Cosigner) -> None:
    empty, tree = tree_of(0), tree_of(3)
    assert empty.root() == EMPTY_ROOT
    assert box.answer(request(empty, 0), NOON).status == 200
    assert box.answer(request(tree, 0, proof=(bytes(32),)), NOON).status == 422
    assert box.answer(request(tree, 0), NOON).status == 200


def test_an_empty_log_has_one_root(box: Cosigner) -> None:
    odd = Checkpoint(origin=LOG, size=0, root=bytes(32))
    raw = dump_continuation(Continuation(old_size=0, hashes=(), checkpoint=note_of(odd)))
    assert box.answer(raw, NOON).status == 422


def test_another_old_size_is_a_conflict_that_names_the_last_one(box: Cosigner) -> None:
    tree = tree_of(9)
    box.answer(request(tree, 0, 4), NOON)
    for old in (0, 3, 5):
        answer = box.answer(request(tree, old), NOON)
        assert (answer.status, answer.body, answer.content_type) == (409, b"4\n", "text/x.tlog.size")
    fresh = box.answer(request(tree, 4), NOON)
    assert fresh.status == 200


def test_a_log_that_is_new_here_begins_at_zero(box: Cosigner) -> None:
    answer = box.answer(request(tree_of(9), 3), NOON)
    assert (answer.status, answer.body) == (409, b"0\n")
    assert box.answer(request(tree_of(9), 0, proof=(bytes(32),)), NOON).status == 422
    assert box.checkpoint(SHA) is None


def test_a_smaller_head_is_refused_after_a_larger_one(box: Cosigner) -> None:
    tree = tree_of(9)
    box.answer(request(tree, 0), NOON)
    assert box.answer(request(tree, 4, 4), NOON).status == 409
    assert box.answer(request(tree, 9, 4, proof=()), NOON).status == 400


def test_another_history_is_refused_at_any_size(box: Cosigner) -> None:
    tree, fork = tree_of(5), tree_of(9, b"other")
    box.answer(request(tree, 0), NOON)
    assert box.answer(request(fork, 5, 5, proof=()), NOON).status == 422
    assert box.answer(request(fork, 5), NOON).status == 422
    assert box.answer(request(tree_of(9), 5, proof=()), NOON).status == 422
    assert box.answer(request(tree_of(9), 5), NOON).status == 200


def test_an_unknown_log_is_not_found(box: Cosigner) -> None:
    head = head_of(tree_of(3), origin="nightledger/other")
    raw = dump_continuation(Continuation(old_size=0, hashes=(), checkpoint=note_of(head)))
    assert box.answer(raw, NOON).status == 404
    assert box.checkpoint(hashlib.sha256(b"nightledger/other").hexdigest()) is None
    assert box.checkpoint("../" * 9 + "etc/passwd") is None


def test_a_head_that_the_log_did_not_sign_is_forbidden(box: Cosigner) -> None:
    text = f"{LOG}\n3\n{'A' * 43}=\n"
    strange = dump_note(sign_note(text, [LogSigner(LOG, 7)]))
    bad = note_of(head_of(tree_of(3))).replace(b"\n3\n", b"\n4\n")
    for checkpoint in (strange, bad):
        raw = dump_continuation(Continuation(old_size=0, hashes=(), checkpoint=checkpoint))
        assert box.answer(raw, NOON).status == 403


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"old 0\n\n",
        b"old 0\n\nno checkpoint\n\n",
        b"old x\n\n" + note_of(head_of(tree_of(1))),
        b"old 0\n\nlog\n1\nroot\n\n\xe2\x80\x94 log AAAAAAAA\n",
        b"old 0\n" + b"A" * MAX_REQUEST_BYTES,
    ],
)
def test_what_is_no_request_is_malformed(box: Cosigner, raw: bytes) -> None:
    assert box.answer(raw, NOON).status == 400


def test_lines_of_others_are_neither_asked_for_nor_kept(box: Cosigner) -> None:
    checkpoint = note_of(head_of(tree_of(3)), cosigner(1), LogSigner(LOG, 7))
    raw = dump_continuation(Continuation(old_size=0, hashes=(), checkpoint=checkpoint))
    assert box.answer(raw, NOON).status == 200
    kept = parse_note(box.checkpoint(SHA) or b"")
    assert [line.name for line in kept.signatures] == [LOG, *[NAME] * len(box.vkeys)]


def test_a_line_that_is_repeated_counts_and_is_kept_once(box: Cosigner) -> None:
    for copies in (2, 98, 99, 100):
        text, _, line = note_of(head_of(tree_of(copies))).rpartition(b"\n\n")
        old = 0 if copies == 2 else parse_checkpoint(parse_note(box.checkpoint(SHA) or b"").text).size
        hashes = tree_of(copies).consistency_proof(old, copies) if old else ()
        checkpoint = text + b"\n\n" + line * copies
        raw = dump_continuation(Continuation(old_size=old, hashes=hashes, checkpoint=checkpoint))
        assert box.answer(raw, NOON).status == 200
        kept = parse_note(box.checkpoint(SHA) or b"")
        assert [line.name for line in kept.signatures] == [LOG, *[NAME] * len(box.vkeys)]


def test_a_second_line_of_a_key_holds_too_or_all_is_forbidden(box: Cosigner) -> None:
    note = parse_note(note_of(head_of(tree_of(3))))
    (line,) = note.signatures
    bad = replace(line, signature=bytes(64))
    checkpoint = dump_note(replace(note, signatures=(line, bad)))
    raw = dump_continuation(Continuation(old_size=0, hashes=(), checkpoint=checkpoint))
    assert box.answer(raw, NOON).status == 403


def test_a_log_with_two_keys_may_sign_with_either(box: Cosigner, directory: Path) -> None:
    box = add_logs(directory, [LogSigner(LOG, 7).key])
    head = head_of(tree_of(3))
    text = parse_note(note_of(head)).text
    raw = dump_continuation(
        Continuation(old_size=0, hashes=(), checkpoint=dump_note(sign_note(text, [LogSigner(LOG, 7)])))
    )
    assert box.answer(raw, NOON).status == 200


def test_its_times_never_go_back(box: Cosigner) -> None:
    tree = tree_of(3)
    box.answer(request(tree, 0), NOON)
    answer = box.answer(request(tree, 3), NOON - timedelta(seconds=1))
    assert (answer.status, b"clock" in answer.body) == (503, True)
    assert box.answer(request(tree, 3), NOON + timedelta(milliseconds=1)).status == 200


def test_what_it_cosigned_is_remembered_by_the_next_process(box: Cosigner, directory: Path) -> None:
    box.answer(request(tree_of(4), 0), NOON)
    again = open_witness(directory)
    assert again.answer(request(tree_of(9, b"other"), 0), NOON).status == 409
    assert again.answer(request(tree_of(9), 4), NOON).status == 200


def test_an_answer_that_got_lost_is_healed_by_asking_again(box: Cosigner) -> None:
    tree = tree_of(4)
    box.answer(request(tree, 0), NOON)  # persisted, and nobody was told
    told = box.answer(request(tree, 0), NOON)
    assert (told.status, told.body) == (409, b"4\n")
    raw = request(tree, 4)
    assert cosigned(box, raw, box.answer(raw, NOON))


def test_damaged_memory_stops_it(box: Cosigner, directory: Path) -> None:
    tree = tree_of(4)
    box.answer(request(tree, 0), NOON)
    path = directory / "heads" / SHA
    whole = path.read_bytes()
    other = note_of(head_of(tree, origin="nightledger/other"))
    resigned = dump_note(sign_note(parse_note(other).text, box._signers(NOON)))
    for damaged in (whole.replace(b"\n4\n", b"\n3\n"), b"", note_of(head_of(tree)), resigned):
        path.write_bytes(damaged)
        with pytest.raises(WitnessError, match="is damaged"):
            box.answer(request(tree, 4), NOON)
    path.write_bytes(whole)
    assert box.answer(request(tree, 4), NOON).status == 200


def test_a_witness_is_made_once_and_opened_again(directory: Path, keys_of_a_witness: Path) -> None:
    box = create_witness(directory, NAME)
    assert create_witness(directory, NAME).vkeys == box.vkeys
    assert not box.logs
    with pytest.raises(ConfigurationError, match=r"is the witness 'witness\.example/harbour'"):
        create_witness(directory, "another")
    mode = stat.S_IMODE(os.stat(directory / "witness-ed25519").st_mode)
    assert mode == 0o600
    assert (directory / "witness-ed25519").read_bytes() == (
        keys_of_a_witness / "witness-ed25519"
    ).read_bytes()


@pytest.mark.parametrize("name", ["", "two words", "plus+plus", "line\n"])
def test_a_name_that_no_line_can_carry_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be a key name"):
        create_witness(tmp_path / "w", name)


def test_a_missing_witness_names_the_command_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is no witness") as caught:
        open_witness(tmp_path)
    assert "witness keygen" in caught.value.hint


def test_a_verifier_key_more_than_it_has_is_refused(directory: Path, box: Cosigner) -> None:
    more = "".join(f"{key.dump()}\n" for key in (*box.vkeys, LogSigner().key))
    (directory / "vkeys").write_text(more)
    with pytest.raises(ConfigurationError, match="does not name the keys"):
        open_witness(directory)


def test_where_its_second_key_is_lost_a_second_verifier_key_of_another_name_is_refused(
    directory: Path, box: Cosigner
) -> None:
    if not has_mldsa():
        pytest.skip("this platform's cryptography has no ML-DSA")
    first, second = box.vkeys
    (directory / "witness-mldsa44").unlink()
    assert len(open_witness(directory).vkeys) == 2
    other = VerifierKey(name="other.example", key_type=second.key_type, public=second.public)
    (directory / "vkeys").write_text(f"{first.dump()}\n{other.dump()}\n")
    with pytest.raises(ConfigurationError, match="does not name the keys"):
        open_witness(directory)


def test_a_remembered_line_of_its_second_key_that_does_not_hold_is_damage(
    directory: Path, box: Cosigner
) -> None:
    if not has_mldsa():
        pytest.skip("this platform's cryptography has no ML-DSA")
    assert box.answer(request(tree_of(3), 0), NOON).status == 200
    (path,) = (directory / "heads").iterdir()
    *lines, last = path.read_text().splitlines()
    name, _, encoded = last.rpartition(" ")
    line = base64.b64decode(encoded)
    ages = line[:4] + b"\xff" * 8 + line[12:]
    path.write_text("\n".join([*lines, f"{name} {base64.b64encode(ages).decode()}\n"]))
    with pytest.raises(WitnessError, match="damaged"):
        box.answer(request(tree_of(5), 3), NOON)


@pytest.mark.parametrize("content", ["", "nonsense\n", f"{LogSigner().key.dump()}\n"])
def test_verifier_keys_of_others_are_refused(directory: Path, box: Cosigner, content: str) -> None:
    assert box.logs
    (directory / "vkeys").write_text(content)
    with pytest.raises(ConfigurationError):
        open_witness(directory)


def test_a_key_that_others_may_read_is_refused(directory: Path, box: Cosigner) -> None:
    assert box.logs
    (directory / "witness-ed25519").chmod(0o644)
    with pytest.raises(KeyFileError, match="others may read"):
        open_witness(directory)


def test_a_key_of_another_kind_is_refused(directory: Path) -> None:
    if not has_mldsa():
        pytest.skip("this platform's cryptography has no ML-DSA")
    (directory / "witness-ed25519").write_bytes((directory / "witness-mldsa44").read_bytes())
    with pytest.raises(KeyFileError, match="is not an Ed25519 key"):
        keys.load_witness_key(directory)


def test_without_ml_dsa_it_cosigns_with_its_first_key(
    directory: Path, box: Cosigner, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_mldsa = VerifierKey(name=LOG, key_type=0x06, public=bytes(1312))
    add_logs(directory, [log_mldsa])
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.mldsa", None)
    poorer = open_witness(directory)
    assert poorer.vkeys == box.vkeys
    answer = poorer.answer(request(tree_of(3), 0), NOON)
    assert (answer.status, answer.body.count(b"\n")) == (200, 1)


def test_logs_are_added_and_never_twice(directory: Path, box: Cosigner) -> None:
    other = LogSigner("nightledger/other", 7).key
    assert add_logs(directory, [other, LogSigner().key]).logs == (*box.logs, other)
    with pytest.raises(RecordError, match="cannot have this part"):
        add_logs(directory, [box.vkeys[0]])
    assert open_witness(directory).logs == (*box.logs, other)


def test_one_request_at_a_time_is_judged(
    box: Cosigner, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.remote.cosigner._LOCK_TIMEOUT_S", 0.0)
    with Lock(os.fspath(directory / "lock")), pytest.raises(LockedError):
        box.answer(request(tree_of(3), 0), NOON)


steps = st.lists(
    st.tuples(st.booleans(), st.integers(0, 12), st.integers(0, 12), st.booleans()), min_size=1, max_size=12
)


@examples(60)
@given(steps=steps)
def test_whatever_it_is_asked_all_heads_it_cosigned_are_of_one_history(
    steps: list[tuple[bool, int, int, bool]],
    tmp_path_factory: pytest.TempPathFactory,
    keys_of_a_witness: Path,
) -> None:
    directory = tmp_path_factory.mktemp("w")
    (directory / "witness-ed25519").write_bytes((keys_of_a_witness / "witness-ed25519").read_bytes())
    (directory / "witness-ed25519").chmod(0o600)
    create_witness(directory, NAME)
    box = add_logs(directory, [LogSigner().key])
    common = [leaf_hash(line) for line in lines_of(4)]
    left, right = Tree(), Tree()
    left.extend([*common, *(leaf_hash(b"left %d" % n) for n in range(8))])
    right.extend([*common, *(leaf_hash(b"right %d" % n) for n in range(8))])
    told: list[Checkpoint] = []
    for is_left, old, size, honest in steps:
        tree = left if is_left else right
        raw = request(tree, old, size, proof=None if honest else (bytes(32),))
        if box.answer(raw, datetime(2026, 3, 1, tzinfo=UTC)).status == 200:
            told.append(head_of(tree, size))
    assert [head.size for head in told] == sorted(head.size for head in told)
    assert any(all(tree.root(head.size) == head.root for head in told) for tree in (left, right))
