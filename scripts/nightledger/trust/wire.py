"""Encodings with one form for each value: base64, and the byte strings of the SSH protocols (RFC 4251 section 5).

Invariant: what is read is within bounds, and nothing is left over unseen; ``decode_base64`` accepts only what
the standard encoder (RFC 4648 section 4) writes. Lenient decoders take many texts for one value, and then a
text that was signed can be changed without breaking its signature.
"""

import binascii

from nightledger.domain.errors import NightledgerError

_U32 = 4


class WireError(NightledgerError):
    """Bytes are not the structure they should be."""


class WireReader:
    """Takes a structure apart from front to back."""

    __slots__ = ("_at", "_raw")

    def __init__(self, raw: bytes) -> None:
        """Begin at the first byte."""
        self._raw = raw
        self._at = 0

    def take(self, count: int) -> bytes:
        """Give the next ``count`` bytes.

        Raises:
            WireError: When there are fewer.
        """
        end = self._at + count
        if end > len(self._raw):
            raise WireError("the structure ends too early")
        taken = self._raw[self._at : end]
        self._at = end
        return taken

    def u32(self) -> int:
        """Give the next big-endian 32-bit number."""
        return int.from_bytes(self.take(_U32), "big")

    def string(self) -> bytes:
        """Give the next counted byte string."""
        start = self._at + _U32
        end = start + int.from_bytes(self._raw[self._at : start], "big")
        if end > len(self._raw) or start > len(self._raw):
            raise WireError("the structure ends too early")
        self._at = end
        return self._raw[start:end]

    def mpint(self) -> int:
        """Give the next positive integer, in its only encoding (RFC 4251: no superfluous zeros).

        Raises:
            WireError: When it is zero, negative or padded.
        """
        raw = self.string()
        value = int.from_bytes(raw, "big", signed=True)
        if value <= 0 or len(raw) != value.bit_length() // 8 + 1:
            raise WireError("a number is not positive or not in its shortest form")
        return value

    def end(self) -> None:
        """Require that nothing is left.

        Raises:
            WireError: When something is.
        """
        if self._at != len(self._raw):
            raise WireError(f"{len(self._raw) - self._at} bytes are left over")


def wire_string(raw: bytes) -> bytes:
    """Give ``uint32 length || raw``."""
    return len(raw).to_bytes(_U32, "big") + raw


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
