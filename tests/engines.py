"""The quick index with tantivy by hand, or tantivy itself where it is installed."""

import importlib.util
import sys

import pytest
from tests.fake_tantivy import make_module

from nightledger.domain.search import engines

IS_INSTALLED = importlib.util.find_spec("tantivy") is not None
BOTH = [
    "by hand",
    pytest.param(
        "itself",
        marks=[
            pytest.mark.tantivy,
            pytest.mark.skipif(not IS_INSTALLED, reason="tantivy is not installed (make test-tantivy)"),
        ],
    ),
]
"""Which tantivy a test runs with."""


def use(which: str, patch: pytest.MonkeyPatch) -> None:
    """Have the quick index use one of ``BOTH``, in an index of any size."""
    if which == "by hand":
        patch.setitem(sys.modules, "tantivy", make_module())
    patch.setattr(engines, "LEAST_CHUNKS", 0)


def take_away(patch: pytest.MonkeyPatch) -> None:
    """Have tantivy not be installed."""
    patch.setitem(sys.modules, "tantivy", None)
    real = importlib.util.find_spec
    patch.setattr(importlib.util, "find_spec", lambda name: None if name == "tantivy" else real(name))
