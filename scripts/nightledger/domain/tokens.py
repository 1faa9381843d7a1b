"""How many tokens a text is taken for: three bytes of UTF-8 a token, stated and the same for every model.

English takes some 4.3 bytes a token of today's tokenizers, Chinese about 3, most other scripts 3 to 6: so budgets hold
on the safe side for prose, and no tokenizer has to be loaded. Digests and rare letters can take more.
"""

BYTES_A_TOKEN = 3


def bytes_of(text: str) -> int:
    """Give a text's bytes in UTF-8; half a surrogate counts three, as its character would."""
    return len(text.encode("utf-8", "surrogatepass"))


def tokens_of(text: str) -> int:
    """Give how many tokens a text is taken for, rounded up."""
    return -(-bytes_of(text) // BYTES_A_TOKEN)
