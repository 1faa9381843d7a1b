"""The configuration of a home and of its operator, checked by its schemas: every problem at once, with its line.

Of ``consent-graph.json`` and ``staging-rules.json`` the shipped file counts, of settings the defaults of their schema,
which ``config/nightledger.yaml`` describes, with a home's own over them; ``operator.yaml`` is the operator's alone. YAML is
imported only where somebody wrote a file of it.

Invariant: a key that nobody reads is refused, so that a misspelt setting never looks set. Of YAML, what is read is one
flat mapping with the keys as they stand in the file; a duplicate key, an alias, a tag, a control character or deep
nesting is an error with its line, never a guess.
"""

import json
import re
import zoneinfo
from collections.abc import Iterable, Iterator, Mapping
from datetime import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from nightledger.codec.canonical import parse_json
from nightledger.codec.records import find_errors, find_problems, read_schema
from nightledger.domain.consent import TIER_WORDS, ConsentGraph, Tier, loosened, merge
from nightledger.domain.errors import ConfigurationError, RecordError
from nightledger.domain.settings import FrameRules, Operator, Settings

if TYPE_CHECKING:
    import yaml
    from jsonschema import ValidationError

    from nightledger.domain.staging import StagingRules


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""What quotes and an escape put into a text, and no program, file name, header or screen of ours can be given."""
MAX_DEPTH = 6
"""No setting nests deeper than a mapping of lists; beyond that it is a mistake or an attack."""


class YamlMapping(msgspec.Struct, frozen=True, kw_only=True):
    """One configuration file.

    Attributes:
        values: Top-level keys and their values.
        lines: Line of each top-level key, from 1.
        texts: For a top-level scalar, its text as written; YAML 1.1 reads ``23:05`` as 1385.
    """

    values: Mapping[str, Any]
    lines: Mapping[str, int]
    texts: Mapping[str, str]


def parse_yaml(raw: bytes, where: str) -> YamlMapping:
    """Read one mapping; an empty file is an empty one.

    Args:
        raw: UTF-8, a byte order mark allowed.
        where: The file, for messages.

    Raises:
        ConfigurationError: Not UTF-8, not YAML, not a mapping with text keys, a key twice, an
            alias, tag or control character, or nested too deeply; with the line.
    """
    import yaml

    # libyaml's takes a thirtieth of the time and is missing only where PyYAML was built without it
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text = raw.decode("utf-8-sig")
        _refuse_surprises(yaml.parse(text, Loader=loader), where)
        root = yaml.compose(text, Loader=loader)
        values = yaml.load(text, Loader=loader)  # noqa: S506, TID251 - the safe one, in C
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{where} is not UTF-8: {error.reason} at byte {error.start}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ConfigurationError(f"{where}:{mark.line + 1 if mark else 1}: {error.problem}") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # PyYAML builds values itself and lets out what 2026-02-30 and a long 1:00:00.0 raise.
        raise ConfigurationError(f"{where} is not YAML: {' '.join(str(error).split())}") from error
    if root is None or values is None:
        return YamlMapping(values={}, lines={}, texts={})
    if not isinstance(root, yaml.MappingNode):
        raise ConfigurationError(f"{where}:{_line(root)}: expected 'key: value' lines")
    _refuse_duplicates(root, where)
    return YamlMapping(
        values=values,
        lines={key.value: _line(key) for key, _ in root.value},
        texts={key.value: node.value for key, node in root.value if isinstance(node, yaml.ScalarNode)},
    )


def _refuse_surprises(events: "Iterable[yaml.Event]", where: str) -> None:
    """Refuse aliases, tags, control characters and deep nesting before PyYAML makes anything of them."""
    import yaml

    depth = 0
    for event in events:
        line = _line(event)
        if isinstance(event, yaml.AliasEvent):
            raise ConfigurationError(f"{where}:{line}: *{event.anchor} is an alias; write the value out")
        if (tag := getattr(event, "tag", None)) is not None:
            raise ConfigurationError(f"{where}:{line}: {tag} is a tag; write the value alone")
        if found := _CONTROL.search(getattr(event, "value", "")):
            raise ConfigurationError(
                f"{where}:{line}: U+{ord(found[0]):04X} is a control character; take it out"
            )
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise ConfigurationError(f"{where}:{line}: nested more than {MAX_DEPTH} deep")


def _refuse_duplicates(node: "yaml.Node", where: str) -> None:
    import yaml

    seen: dict[str, int] = {}
    children = node.value if isinstance(node, yaml.CollectionNode) else ()
    for child in children:
        key, value = child if isinstance(node, yaml.MappingNode) else (None, child)
        if key is not None:
            line = _line(key)
            if key.tag != "tag:yaml.org,2002:str":
                raise ConfigurationError(f"{where}:{line}: a key must be text; put it in quotes")
            if key.value in seen:
                raise ConfigurationError(
                    f"{where}:{line}: {key.value!r} stands already in line {seen[key.value]}",
                    hint="keep one of the two",
                )
            seen[key.value] = line
        _refuse_duplicates(value, where)


def _line(part: "yaml.Node | yaml.Event") -> int:
    return part.start_mark.line + 1 if part.start_mark else 1


def parse_configuration(raw: bytes, schema_name: str, *, where: str, hint: str) -> dict[str, Any]:
    """Return the keys that a YAML file sets, valid by their schema.

    Args:
        raw: YAML.
        schema_name: File in ``schemas/``, without ``.schema.json``.
        where: The file, for messages.
        hint: Where its keys are described.

    Raises:
        ConfigurationError: Naming every problem with its line.
    """
    known = read_schema(schema_name)["properties"]
    try:
        written = parse_yaml(raw, where)
    except ConfigurationError as error:
        error.hint = error.hint or hint
        raise
    values = {key: _as_meant(key, value, written, known) for key, value in written.values.items()}
    problems = [(key, "there is no such setting") for key in values if key not in known]
    problems += sorted(_invalid(values, schema_name, known))
    if problems:
        lines = [f"{where}:{written.lines[key]}: {key}: {message}" for key, message in problems]
        raise ConfigurationError("\n  ".join(lines), hint=hint)
    return values


def parse_json_configuration(raw: bytes, schema_name: str, *, where: str, hint: str) -> dict[str, Any]:
    """Return what a JSON file of a home says, valid by its schema; arguments as for :func:`parse_configuration`.

    Raises:
        RecordError: It is no JSON.
        ConfigurationError: Naming every problem.
    """
    record: Any = parse_json(raw, where)
    if problems := find_problems(schema_name, record):
        raise ConfigurationError(f"{where} is not valid:\n  " + "\n  ".join(problems), hint=hint)
    checked: dict[str, Any] = record
    return checked


def over(shipped: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return shipped values with a home's own over them; mappings are merged, whatever else is replaced."""
    merged = {
        key: over(shipped[key], value)
        for key, value in own.items()
        if isinstance(value, Mapping) and isinstance(shipped.get(key), Mapping)
    }
    return {**shipped, **own, **merged}


def _as_meant(key: str, value: Any, written: YamlMapping, known: Mapping[str, Any]) -> Any:
    """Return text as written where the schema wants text (YAML 1.1 takes 23:05 for 1385), and 2.0 as 2."""
    wanted = known.get(key, {}).get("type")
    if wanted == "string" and key in written.texts and value is not None:
        return written.texts[key]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _invalid(
    values: Mapping[str, Any], schema_name: str, known: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    for error in find_errors(schema_name, {key: value for key, value in values.items() if key in known}):
        key, *inside = map(str, error.absolute_path)
        place = "".join(f"{part}: " for part in inside)
        yield key, f"{place}{_told(error)} (for example: {json.dumps(known[key]['examples'][0])})"


def _told(error: "ValidationError") -> str:
    """Say what is wrong; where members do not go together, which are wanted, and not what they hold: an address may be a secret."""
    if error.validator not in ("oneOf", "anyOf"):
        return error.message
    choices: Any = error.validator_value
    sets = [" and ".join(one["required"]) for one in choices if "required" in one]
    return f"one of {', '.join(sets)} must be given" if len(sets) > 1 else f"{sets[0]} must be given"


_HINT = "every setting is described in the checkout's config/nightledger.yaml"


@lru_cache(maxsize=4)  # a night opens the gate for each of its jobs
def parse_settings(own: bytes | None, *, where: str) -> Settings:
    """Read the settings in force.

    Args:
        own: The home's file, which holds only what differs from the defaults; None where it has none.
        where: The home's file, for messages.

    Raises:
        ConfigurationError: Naming every problem with its line.
    """
    values = {key: told["default"] for key, told in read_schema("settings")["properties"].items()}
    if own is not None:
        values = over(values, parse_configuration(own, "settings", where=where, hint=_HINT))
    if values["zone"] is not None:
        find_zone(values["zone"], where=f"{where}: zone")
    for name in ("nightly_at", "prune_at"):
        values[name] = time.fromisoformat(values[name])
    frames = values["frames"].items()
    values["frames"] = {name: _frame(rules, f"{where}: frames.{name}") for name, rules in frames}
    return Settings(**values)


def find_zone(name: str, *, where: str) -> zoneinfo.ZoneInfo:
    """Give the zone of that name.

    Args:
        name: IANA name, ``Europe/Berlin``.
        where: Where it was set, for messages.

    Raises:
        ConfigurationError: When there is none.
    """
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigurationError(
            f"{where}: {name!r} is not an IANA zone", hint="write it like Europe/Berlin"
        ) from error


def _frame(values: dict[str, int], where: str) -> FrameRules:
    rules = FrameRules(**values)
    if problems := rules.why_not():
        raise ConfigurationError(f"{where}: {'; '.join(problems)}", hint=_HINT)
    return rules


_FLOOR_HINT = "the shipped config/consent-graph.json is the floor; a home may only be stricter"


def parse_consent(shipped: bytes, own: bytes | None, *, where: str) -> ConsentGraph:
    """Give the consent graph in force.

    Args:
        shipped: The checkout's ``config/consent-graph.json``.
        own: The home's file; None where it has none.
        where: The home's file, for messages.

    Raises:
        ConfigurationError: A graph that is not valid, or that loosens the floor.
    """
    floor, graph = parse_graphs(shipped, own, where=where)
    return floor if graph is None else merge(floor, graph)


def parse_graphs(
    shipped: bytes, own: bytes | None, *, where: str
) -> tuple[ConsentGraph, ConsentGraph | None]:
    """Give the shipped graph and the home's own, apart; see :func:`parse_consent`.

    Raises:
        ConfigurationError: A graph that is not valid, or that loosens the floor.
    """
    floor = _graph(parse_json(shipped, "config/consent-graph.json"))  # its tests hold it against the schema
    if own is None:
        return floor, None
    graph = _graph(parse_json_configuration(own, "consent-graph", where=where, hint=_FLOOR_HINT))
    if problems := loosened(floor, graph):
        raise ConfigurationError(f"{where} loosens the floor:\n  " + "\n  ".join(problems), hint=_FLOOR_HINT)
    return floor, graph


def _graph(record: dict[str, Any]) -> ConsentGraph:
    times = {
        "cooling_hours": record.get("cooling_period_hours"),
        "undo_days": record.get("undo_window_days"),
        "decay_days": record.get("consent_decay_days"),
    }
    return ConsentGraph(
        domains={name: _tiers(lists) for name, lists in record["domains"].items()},
        **{name: value for name, value in times.items() if value is not None},
    )


def _tiers(lists: dict[str, Any]) -> dict[str, Tier]:
    """Give each action's tier; where several lists name it the strictest wins."""
    tiers: dict[str, Tier] = {}
    for word, actions in lists.items():
        for action in actions:
            tiers[action] = max(TIER_WORDS[word], tiers.get(action, Tier.AUTONOMOUS))
    return tiers


_OPERATOR_HINT = "it holds: notify: {by: desktop}"


def parse_operator(raw: bytes, *, where: str) -> Operator:
    """Read what the operator lets us run.

    Args:
        raw: YAML.
        where: The file, for messages.

    Raises:
        ConfigurationError: Naming every problem with its line; a program without its full path too.
    """
    values = parse_configuration(raw, "operator", where=where, hint=_OPERATOR_HINT)
    servers = {name: values.get(name) or None for name in ("meaning", "analyst")}
    operator = msgspec.convert({**values, **servers}, Operator)
    words = operator.notify
    if isinstance(words, tuple) and words and not words[0].startswith("/"):
        # cron's search path is not the operator's, and a home must not be able to shadow a program.
        raise ConfigurationError(
            f"{where}: notify: {words[0]!r} is not a full path", hint=f"command -v {words[0]} gives it"
        )
    return operator


_STAGING_HINT = (
    "every key is described in schemas/staging-rules.schema.json; a home's file holds what differs"
)
_NOT_OURS = ("v", "prompt_hook")
"""The hook reads its own member, without what is imported here (``files/hook_state.py``)."""


def parse_staging_rules(shipped: bytes, own: bytes | None, *, where: str) -> "StagingRules":
    """Give the staging rules in force.

    Args:
        shipped: The checkout's ``config/staging-rules.json``; its tests hold it against the schema.
        own: The home's file; None where it has none.
        where: The home's file, for messages.

    Raises:
        ConfigurationError: Naming every problem.
    """
    from nightledger.domain.staging import StagingRules

    values: dict[str, Any] = parse_json(shipped, "config/staging-rules.json")
    if own is not None:
        try:
            values = over(
                values, parse_json_configuration(own, "staging-rules", where=where, hint=_STAGING_HINT)
            )
        except RecordError as error:
            raise ConfigurationError(str(error), hint=_STAGING_HINT) from error
    rules = msgspec.convert({key: told for key, told in values.items() if key not in _NOT_OURS}, StagingRules)
    problems = [
        f"windows.{n}: until_days is {window.until_days}, and from_days {window.from_days}; it must be more"
        for n, window in enumerate(rules.windows)
        if window.until_days is not None and window.until_days <= window.from_days
    ]
    if problems:
        raise ConfigurationError(f"{where} is not valid:\n  " + "\n  ".join(problems), hint=_STAGING_HINT)
    return rules
