"""A recorded server that has questions answered: one without an answer is put into its folder, and waited for."""

import os
import time
from collections.abc import Mapping
from typing import Any

from nightledger.files.atomic import replace_file
from nightledger.think.analyst import RecordedServer, Reply

LOOK_S = 0.2
PATIENCE_S = 3600


class ExchangeServer(RecordedServer, frozen=True, kw_only=True):
    """Answers that somebody puts beside their questions.

    Attributes:
        wait_s: How long to wait for one.
    """

    wait_s: int

    def complete(self, prompt: str, schema: Mapping[str, Any], most_tokens: int) -> Reply:  # type: ignore[explicit-override]  # typing.override is newer than Python 3.11
        """Give the recorded answer, after putting the question there as ``HASH.md`` and waiting where there is none."""
        place = self.place(prompt)
        if not os.path.exists(f"{place}.json") and not os.path.exists(f"{place}.md"):
            os.makedirs(self.folder, exist_ok=True)
            replace_file(f"{place}.md", prompt.encode())
        until = time.monotonic() + self.wait_s
        while not os.path.exists(f"{place}.json") and time.monotonic() < until:
            time.sleep(LOOK_S)
        return super().complete(prompt, schema, most_tokens)
