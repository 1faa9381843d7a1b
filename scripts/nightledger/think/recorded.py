"""Answers of a model that were recorded, each by its question.

Invariant: nothing is sent; what is read is judged as any other answer.
"""

import hashlib
import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from nightledger.files.durable import read_optional
from nightledger.think.analyst import (
    BYTES_A_TOKEN,
    MAX_REPLY_CHARACTERS,
    MAX_REPLY_TOKENS,
    AnalystError,
    Reply,
)


class RecordedServer(Struct, frozen=True, kw_only=True):
    """Stands for a model whose answers lie in a folder: to the question whose SHA-256 begins with HASH, ``HASH.json``; asks no network.

    Attributes:
        folder: Where they are.
        name: Which model it was.
        tokens_a_night: The budget of one night.
    """

    folder: str
    name: str = "recorded"
    tokens_a_night: int = MAX_REPLY_TOKENS

    def complete(self, prompt: str, schema: Mapping[str, Any], most_tokens: int) -> Reply:  # noqa: ARG002 - as any server
        """Give the answer that was recorded; it costs what its question and its own length come to.

        Raises:
            AnalystError: None was, to this very question; one letter more in prompt, notes or memory makes another.
        """
        place = self.place(prompt)
        answer = read_optional(f"{place}.json", MAX_REPLY_CHARACTERS)
        if answer is None:
            raise AnalystError(f"no answer to this very question is recorded as {place}.json")
        asked, told = len(prompt.encode()) // BYTES_A_TOKEN, len(answer) // BYTES_A_TOKEN
        return Reply(text=answer.decode("utf-8", "replace"), tokens=asked + told, answer_tokens=told)

    def place(self, prompt: str) -> str:
        """Return where the answer to a question lies, without its ending."""
        return os.path.join(self.folder, hashlib.sha256(prompt.encode()).hexdigest()[:16])
