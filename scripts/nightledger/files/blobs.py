"""Raw bytes kept by their hash: what undo, diffs and drift need.

Invariant: what is read back is what was put, or an error; a blob's name is its SHA-256.
"""

import hashlib
import os
import re

from nightledger.domain.errors import IntegrityError, MissingBlobError, NightledgerError, UnreadableError
from nightledger.files.atomic import replace_file
from nightledger.files.durable import is_there, make_dir, read_regular, sync_directory

MAX_BLOB_BYTES = 256 << 20
"""More than any file that is read here; a larger one is not ours."""
_NAME = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """The directory ``audit/blobs/sha256`` of a home."""

    __slots__ = ("directory",)

    def __init__(self, directory: str) -> None:
        """Name the directory; it is made by the first put."""
        self.directory = directory

    def path(self, sha256: str) -> str:
        """Give the place of a blob: ``<directory>/ab/<64 hex>``.

        Raises:
            ValueError: When it is not 64 lower-case hex digits.
        """
        if not _NAME.fullmatch(sha256):
            raise ValueError(f"{sha256!r} is not a SHA-256 in lower-case hex")
        return os.path.join(self.directory, sha256[:2], sha256)

    def put(self, content: bytes) -> str:
        """Keep the bytes and give their hex SHA-256; on disk when this returns, however often it is called.

        A blob that was damaged is written anew.

        Raises:
            NotDurableError: When the disk reports a failure.
        """
        sha256 = hashlib.sha256(content).hexdigest()
        path = self.path(sha256)
        make_dir(os.path.dirname(path))
        if self._holds(path, content):
            sync_directory(os.path.dirname(path))
        else:
            replace_file(path, content)
        return sha256

    def get(self, sha256: str) -> bytes:
        """Give the bytes with this hash.

        Raises:
            MissingBlobError: When there is no such blob: none has a name that is no SHA-256.
            IntegrityError: When the stored bytes have another hash.
        """
        path = self.path(sha256) if _NAME.fullmatch(sha256) else ""
        if not path or not is_there(path):
            raise MissingBlobError(f"the blob {sha256} is not in {self.directory}")
        content = read_regular(path, MAX_BLOB_BYTES)
        found = hashlib.sha256(content).hexdigest()
        if found != sha256:
            raise IntegrityError(
                f"{path} was changed: its bytes have the SHA-256 {found}", hint=MissingBlobError.hint
            )
        return content

    def holds(self, sha256: str) -> bool:
        """Tell whether the blob is there with the bytes of its name."""
        try:
            self.get(sha256)
        except NightledgerError:
            return False
        return True

    def _holds(self, path: str, content: bytes) -> bool:
        try:
            return is_there(path) and read_regular(path, len(content)) == content
        except UnreadableError:
            return False
