"""Base64 with one form for each value.

Invariant: ``decode_base64`` accepts only what the standard encoder (RFC 4648 section 4)
writes. Lenient decoders take many texts for one value, and then a text that was signed
can be changed without breaking its signature.
"""

import binascii


def decode_base64(text: str) -> bytes | None:
    """Give the bytes, or None where the text is not exactly their standard encoding."""
    try:
        raw = binascii.a2b_base64(text)
    except (binascii.Error, ValueError):  # not ASCII is a ValueError
        return None
    return raw if binascii.b2a_base64(raw, newline=False) == text.encode() else None


def encode_base64(raw: bytes) -> str:
    """Give the standard encoding, with padding and without line ends."""
    return binascii.b2a_base64(raw, newline=False).decode("ascii")
