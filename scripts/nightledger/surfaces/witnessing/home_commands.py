"""``witness trust | ask``: what the machine that writes the home does."""

import argparse
from collections.abc import Mapping

from nightledger.domain.errors import EXIT_ALARM, ConfigurationError, UsageError
from nightledger.files.reading import read_regular
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.keys.trust_change import change_trust
from nightledger.surfaces.witnessing.asking import Round, ask_round
from nightledger.trust.cosigning import Asked
from nightledger.trust.policy import MAX_POLICY_BYTES, Policy, dump_policy, former_logs, parse_policy


def trust(options: argparse.Namespace, context: Context) -> int:
    """Sign a policy with the witnesses and the quorum of a file."""
    if len(options.words) != 1:
        raise UsageError(
            "name the file with the policy", hint="'nightledger witness keygen' prints such lines"
        )
    path = options.words[0]
    wanted = parse_policy(read_regular(path, MAX_POLICY_BYTES), where=path)

    def edit(in_force: Mapping[str, bytes]) -> Mapping[str, bytes]:
        return {"policy": merged(in_force["policy"], wanted)}

    decision = change_trust(context, edit)
    context.emit(
        {"decision": decision.id, "quorum": wanted.quorum, "witnesses": [w.name for w in wanted.witnesses]}
    )
    names = ", ".join(screen.shown(witness.name) for witness in wanted.witnesses) or "none"
    context.print(f"Signed ({decision.id}): witnesses {names}; quorum {screen.shown(wanted.quorum)}.")
    if wanted.asks:
        context.print("Say where they are in operator.yaml (witnesses), then: nightledger witness ask")
    return 0


def merged(in_force: bytes, wanted: Policy) -> bytes:
    """Give the policy that has the logs in force, and the witnesses and the quorum that are wanted."""
    logs = parse_policy(in_force, where="the policy in force").logs
    policy = Policy(logs=logs, witnesses=wanted.witnesses, groups=wanted.groups, quorum=wanted.quorum)
    content = dump_policy(policy, former_logs(in_force))
    parse_policy(content, where="the new policy")  # this home's log must not be its own witness
    return content


def ask(options: argparse.Namespace, context: Context) -> int:
    """Ask every witness; 1 when the quorum has not cosigned the newest head or one refuses, 4 when one proves another log."""
    if options.words:
        raise UsageError("'witness ask' takes no words", hint="nightledger witness ask --help")
    found = ask_round(context, everybody=True)
    if found is None:
        raise ConfigurationError(
            "no witness is asked here",
            hint="name them under witnesses in operator.yaml in $NIGHTLEDGER_KEYS; or another run is asking now",
        )
    _report(context, found)
    if found.standing:
        return EXIT_ALARM
    return 0 if found.met and not any(one.refused for one in found.asked) else 1


def _report(context: Context, found: Round) -> None:
    context.emit(
        {
            "met": found.met,
            "asked": [
                {
                    **{
                        name: getattr(one, name) for name in ("name", "size", "waiting", "problem", "refused")
                    },
                    "cosigned": bool(one.cosigned),
                    "contradiction": one.contradiction.damage.value if one.contradiction else None,
                }
                for one in found.asked
            ],
            "strangers": list(found.strangers),
            "unreachable": list(found.unreachable),
        }
    )
    for one in found.asked:
        context.print(f"{screen.shown(one.name)}: {_said(one)}")
    for name in found.strangers:
        context.note(
            f"note: operator.yaml names {screen.shown(name)}, which the policy does not; it was not asked"
        )
    for name in found.unreachable:
        context.note(f"note: operator.yaml has no address of {screen.shown(name)}")
    if not found.met:
        context.print("The policy's quorum has not cosigned the newest head.")


def _said(one: Asked) -> str:
    if one.contradiction:
        return f"{one.contradiction.damage.value.upper()}: {screen.shown(one.contradiction.message)}"
    if one.problem:
        return f"no line ({screen.shown(one.problem)})"
    return "the answer comes later" if one.waiting else f"cosigned {one.size} entries"
