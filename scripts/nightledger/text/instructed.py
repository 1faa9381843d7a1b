"""Which lines of an agent's instructions tell it to write its memory itself, past the gate.

A heuristic for the operator's eye: a line that names a gated file and a verb of writing and denies nothing. What a
line means by the lines around it is not seen.
"""

import re
from collections.abc import Iterable
from posixpath import basename

from nightledger.text.similar import is_denied

_WRITES = re.compile(
    r"\b(?:add|append|capture|curate|distill|edit|keep|log|maintain|modify|note|prune|put|record|refine|remove|rewrite|save|store|update"
    r"|write|bearbeite|ergänze|halte|notiere|pflege|schreib|speicher|aktualisier|ajoute|écri[st]|enregistre|mets|modifie|note[rz]"
    r"|actualiza|agrega|anota|añade|edita|escribe|guarda|registra|adiciona|atualiz[ae]|escrev[ae]|salv[ae]|aggiorn[ai]|aggiungi|scriv[ie])\w{0,4}\b"
    r"|допис|запис|запиш|обнов|добав|сохран|写入|更新|记录|添加|保存|書き|記録|追記|기록|추가|저장|갱신",
    re.IGNORECASE,
)


def lines_that_edit(text: str, gated: Iterable[str]) -> tuple[int, ...]:
    """Return the numbers, from 1, of the lines that tell the agent to write a gated file.

    Args:
        text: The instructions.
        gated: The gated files, relative to the home.
    """
    names = {basename(path) for path in gated}
    return tuple(
        number
        for number, line in enumerate(text.split("\n"), start=1)
        if any(name in line for name in names) and _WRITES.search(line) and not is_denied(line)
    )
