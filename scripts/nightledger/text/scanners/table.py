"""The table of all that scanners look for: each row with what it must find and what it must not.

``scan`` runs the rows; this module lays them side by side for tests and for the documentation.
Invariant: complete, every name that a finding can carry stands here (a test walks the table).
"""

from nightledger.text.scanners.commands import COMMAND_RULES
from nightledger.text.scanners.instructions import INSTRUCTION_RULES
from nightledger.text.scanners.languages import LANGUAGE_RULES
from nightledger.text.scanners.markup import MARKUP_RULES
from nightledger.text.scanners.rule import Row
from nightledger.text.scanners.secret_places import PLACE_RULES
from nightledger.text.scanners.secret_shapes import TOKEN_RULES
from nightledger.text.scanners.secret_told import TOLD_RULES
from nightledger.text.scanners.secret_words import WORD_RULES
from nightledger.text.scanners.snippets import code_rules
from nightledger.text.scanners.unicode_table import KINDS

TABLE: tuple[Row, ...] = (
    *KINDS.values(),
    *MARKUP_RULES,
    *INSTRUCTION_RULES,
    *COMMAND_RULES,
    *LANGUAGE_RULES,
    *TOKEN_RULES,
    *WORD_RULES,
    *TOLD_RULES,
    *PLACE_RULES,
    *code_rules(),
)
"""By class: characters, markup, instructions, secrets, code."""
CLASSES = ("unicode", "markup", "instruction", "reviewer", "secret", "code")
"""First parts of the rows' names."""
