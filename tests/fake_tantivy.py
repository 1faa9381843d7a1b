"""What the quick index needs of tantivy, by hand: documents in one JSON file, BM25 over all of them.

Its classes are those of ``tantivy`` by name and arguments, as far as they are called, so that the same tests run with both.
"""

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any


class Occur(Enum):
    Should = 1
    Must = 2


class FieldType(Enum):
    Unsigned = 1


class SchemaBuilder:
    def add_text_field(self, name: str, *, tokenizer_name: str, index_option: str) -> None: ...

    def add_unsigned_field(self, name: str, *, indexed: bool = False, fast: bool = False) -> None: ...

    def build(self) -> "SchemaBuilder":
        return self


class Document:
    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}

    def add_text(self, name: str, value: str) -> None:
        self.fields[name] = value

    def add_unsigned(self, name: str, value: int) -> None:
        self.fields[name] = value


class Query:
    """A query is what gives each document its score; None where it does not match."""

    @staticmethod
    def term_query(_: object, name: str, value: str, *, index_option: str) -> Any:
        assert index_option in ("freq", "basic")

        def score(fields: dict[str, Any], every: list[dict[str, Any]]) -> float | None:
            if name != "words":
                return 1.0 if fields.get(name) == value else None
            lists = [str(one.get(name, "")).split() for one in every]
            said, own = sum(value in words for words in lists), str(fields.get(name, "")).split()
            if value not in own:
                return None
            mean = sum(map(len, lists)) / len(lists)
            rare = math.log(1 + (len(lists) - said + 0.5) / (said + 0.5))
            count = Counter(own)[value]
            return rare * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(own) / mean))

        return score

    @staticmethod
    def boolean_query(parts: list[tuple[Occur, Any]]) -> Any:
        def score(fields: dict[str, Any], every: list[dict[str, Any]]) -> float | None:
            scores = [(occur, part(fields, every)) for occur, part in parts]
            given = [one for _, one in scores if one is not None]
            lacks = any(occur is Occur.Must and one is None for occur, one in scores)
            return sum(given) if given and not lacks else None

        return score

    @staticmethod
    def range_query(_: object, name: str, kind: FieldType, lower: int, upper: int) -> Any:
        assert kind is FieldType.Unsigned
        return lambda fields, _: 1.0 if name in fields and lower <= fields[name] <= upper else None


@dataclass
class Found:
    hits: list[tuple[float, int]]


class Searcher:
    def __init__(self, documents: list[dict[str, Any]]) -> None:
        self.documents = documents

    def search(self, query: Any, limit: int, *, count: bool) -> Found:
        assert not count  # else tantivy walks every list to its end
        scored = [(query(one, self.documents), at) for at, one in enumerate(self.documents)]
        best = sorted(((-score, at) for score, at in scored if score is not None))[:limit]
        return Found([(-score, at) for score, at in best])

    def fast_field_values(self, name: str, places: list[int]) -> list[int | None]:
        return [self.documents[at].get(name) for at in places]


@dataclass
class Writer:
    file: Path
    documents: list[dict[str, Any]]
    left: bool = field(default=False)

    def add_document(self, document: Document) -> None:
        self.documents.append(dict(document.fields))

    def delete_documents_by_query(self, query: Any) -> None:
        self.documents = [one for one in self.documents if query(one, self.documents) is None]

    def commit(self) -> None:
        self.file.write_text(json.dumps(self.documents))

    def wait_merging_threads(self) -> None:
        self.left = True


class Index:
    schema = SchemaBuilder()

    def __init__(self, _: SchemaBuilder, path: str) -> None:
        self.file = Path(path) / "meta.json"
        self.file.write_text("[]")

    @classmethod
    def open(cls, path: str) -> "Index":
        index = cls.__new__(cls)
        index.file = Path(path) / "meta.json"
        json.loads(index.file.read_text())
        return index

    def searcher(self) -> Searcher:
        return Searcher(json.loads(self.file.read_text()))

    def writer(self, *, heap_size: int, num_threads: int) -> Writer:
        assert heap_size >= 15_000_000
        assert num_threads == 1
        return Writer(self.file, json.loads(self.file.read_text()))


def make_module() -> ModuleType:
    """Give a module to stand for ``tantivy``."""
    module = ModuleType("tantivy")
    module.__spec__ = ModuleSpec("tantivy", None)
    module.__dict__.update(
        Occur=Occur,
        FieldType=FieldType,
        SchemaBuilder=SchemaBuilder,
        Document=Document,
        Query=Query,
        Index=Index,
    )
    return module
