"""What somebody who holds the log's key can write: events, and a head that both verifiers take for signed.

Written from docs/formats.md and the standards alone (RFC 6962 2.1, C2SP signed notes, tlog-cosignature), so that it
stays what it is whatever becomes of the program.
"""

import base64
import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from tests.blackbox.world import LOG, World

ED25519 = b"\x01"
ML_DSA_44 = b"\x06"
NAMESPACE = "nightledger-decision@v1"


def leaf_hash(data: bytes) -> bytes:
    """Give a leaf's hash (RFC 6962 2.1)."""
    return hashlib.sha256(b"\x00" + data).digest()


def root_of(leaves: list[bytes]) -> bytes:
    """Give the root over leaf hashes (RFC 6962 2.1)."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return hashlib.sha256(b"\x01" + root_of(leaves[:half]) + root_of(leaves[half:])).digest()


def line_of(event: dict[str, Any]) -> bytes:
    """Give an event as a line: RFC 8785 for strings, integers, lists and objects (no floats are used)."""
    return json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def append(world: World, *events: dict[str, Any]) -> None:
    """Append events with the right numbers and sign the new head with the log's own keys."""
    path = world.home / LOG
    size = len(path.read_bytes().splitlines())
    with path.open("ab") as log:
        for n, event in enumerate(events):
            stamp = {"v": 1, "seq": size + n, "actor": "cron", "at": f"{world.now:%Y-%m-%dT%H:%M:%SZ}"}
            log.write(line_of({**stamp, **event}) + b"\n")
    sign_head(world)


def sign_head(world: World) -> None:
    """Sign the log as it stands, as ``audit/checkpoint``."""
    (world.home / "audit/checkpoint").write_bytes(signed_head(world))


def signed_head(world: World) -> bytes:
    """Give a checkpoint over the log as it stands (C2SP tlog-checkpoint, signed-note)."""
    lines = (world.home / LOG).read_bytes().splitlines()
    root = root_of([leaf_hash(line) for line in lines])
    origin = json.loads(lines[0])["origin"]
    text = f"{origin}\n{len(lines)}\n{base64.b64encode(root).decode()}\n"
    at = int(world.now.timestamp()).to_bytes(8, "big")
    short = bytes([len(origin)]) + origin.encode()
    message = b"subtree/v1\n\0" + short + at + short + bytes(8) + len(lines).to_bytes(8, "big") + root
    signer: Any = load_pem_private_key((world.own_keys / "log-mldsa44").read_bytes(), None)
    quantum = signer.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    plain = load_pem_private_key((world.own_keys / "log-ed25519").read_bytes(), None)
    assert isinstance(plain, Ed25519PrivateKey)
    public = plain.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return (
        text.encode()
        + b"\n"
        + _signature_line(origin, ED25519 + public, plain.sign(text.encode()))
        + _signature_line(origin, ML_DSA_44 + quantum, at + signer.sign(message))
    )


def _signature_line(name: str, key: bytes, signature: bytes) -> bytes:
    key_id = hashlib.sha256(name.encode() + b"\n" + key).digest()[:4]
    return f"— {name} {base64.b64encode(key_id + signature).decode()}\n".encode()


def put_blob(world: World, data: bytes) -> str:
    """Put bytes where the home keeps them and give their SHA-256."""
    name = hashlib.sha256(data).hexdigest()
    path = world.blob(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return name


def target_of(before: str, after: str, path: str = "MEMORY.md") -> dict[str, str]:
    """Give what an intent says of a file that became exactly what was signed (SHA-256 of both, hexadecimal)."""
    return {"path": path, "before": before, "after": after, "signed_base": before, "signed_result": after}


def put_by_nobody(world: World, before: bytes, after: bytes) -> None:
    """Put bytes into MEMORY.md, and into the log that an apply, which nobody signed, put them there."""
    intent = {
        **event_named(world, "apply.intent"),
        "apply": "a-" + "a" * 26,
        "targets": [target_of(put_blob(world, before), put_blob(world, after))],
    }
    append(world, intent, {"event": "apply.done", "apply": intent["apply"]})
    world.write("MEMORY.md", after)


def event_named(world: World, name: str) -> dict[str, Any]:
    """Give the newest event of that name, without what belongs to its place in the log."""
    newest = next(event for event in reversed(world.events()) if event["event"] == name)
    return {key: value for key, value in newest.items() if key not in ("v", "seq", "at", "actor")}


def keep_pin(world: World) -> Path:
    """Give the file in which this machine keeps the newest head that it saw."""
    return world.own_keys / "head.json"


def head_of(world: World) -> dict[str, Any]:
    """Give the log's head, as a decision names it."""
    lines = (world.home / LOG).read_bytes().splitlines()
    return {"size": len(lines), "root": root_of([leaf_hash(line) for line in lines]).hex()}


def operator_signed(world: World, like: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """Have the operator's own key sign a decision, and log it as the gate would not; give the decision."""
    identity = {**like, "log": head_of(world), "nonce": "e" * 32, **changed, "id": ""}
    decision = {**identity, "id": f"d-{_name_of(identity)}"}
    path = world.home / "audit/decisions" / f"{decision['id']}.json"
    path.write_bytes(line_of(decision))
    key = str(world.own_keys / "operator")
    sign = ["ssh-keygen", "-q", "-Y", "sign", "-n", NAMESPACE, "-f", key, str(path)]
    subprocess.run(sign, check=True, capture_output=True)
    hashes = {
        "sha256": hashlib.sha256(line_of(decision)).hexdigest(),
        "signature_sha256": hashlib.sha256(path.with_name(f"{path.name}.sig").read_bytes()).hexdigest(),
    }
    said = {name: decision[name] for name in ("type", "proposal", "changes")}
    append(world, {"event": "decision.recorded", "decision": decision["id"], **hashes, **said})
    return decision


def logged_proposal(
    world: World, like: str, change: Callable[[dict[str, Any]], None], mark: str = "a"
) -> str:
    """Log a proposal that the gate would not have made: another one, changed; give its id."""
    item = world.stored(like)
    item["id"] = "p-" + mark * 26
    change(item)
    content = line_of(item)
    world.write(f"memory/state/proposals/{item['id']}.json", content)
    facts = {"kind": item["kind"], "lane": item["lane"], "changes": len(item["changes"])}
    sha256 = hashlib.sha256(content).hexdigest()
    append(world, {"event": "proposal.created", "proposal": item["id"], "sha256": sha256, **facts})
    return str(item["id"])


def signed_as(
    world: World, decision: dict[str, Any], key: str, *, namespace: str = NAMESPACE
) -> tuple[bytes, str]:
    """Give a decision's bytes with the id that they make, and a key's signature over them, as the gate is handed both."""
    identity = {**decision, "id": ""}
    content = line_of({**identity, "id": f"d-{_name_of(identity)}"})
    path = world.root / "handed.json"
    path.write_bytes(content)
    path.with_name("handed.json.sig").unlink(missing_ok=True)
    sign = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", str(world.own_keys / key), str(path)]
    subprocess.run(sign, check=True, capture_output=True)
    return content, path.with_name("handed.json.sig").read_text()


def log_proposal(world: World, proposal: dict[str, Any]) -> str:
    """Put a proposal of any form into the home and its log, as if the program had made it; give its id."""
    identity = {**proposal, "id": ""}
    name = f"p-{_name_of(identity)}"
    content = line_of({**identity, "id": name})
    (world.home / "memory/state/proposals" / f"{name}.json").write_bytes(content)
    told = {"proposal": name, "kind": proposal["kind"], "lane": proposal["lane"]}
    counted = {"changes": len(proposal["changes"]), "sha256": hashlib.sha256(content).hexdigest()}
    append(world, {"event": "proposal.created", **told, **counted})
    return name


def _name_of(identity: dict[str, Any]) -> str:
    return base64.b32encode(hashlib.sha256(line_of(identity)).digest()).decode()[:26].lower()
