"""Rules about what leaves the machine: requests, sockets, and secrets or files in what is sent.

Invariant: pure. Fetching from an address is no finding; sending is one, and sending what was read
from files or the environment a worse one.
"""

import ast
import re
from collections.abc import Iterator

from nightledger.text.code.look import Hit, Look, argument
from nightledger.text.code.sources import REQUESTS, beside_setting, holds_source, sendable

_GET = re.compile(
    r"(?:requests(?:\.[sS]ession\(\))?|httpx(?:\.(?:Async)?Client\(\))?|aiohttp\.ClientSession\(\)|niquests|urllib3|treq|cloudscraper\.create_scraper\(\))\.(?:get|head|options|stream)\Z"
    r"|urllib\.request\.urlopen\Z|urllib\.urlopen\Z|urllib\.request\.build_opener\(\)\.open\Z"
)
_SEND = re.compile(
    r"(?:requests(?:\.[sS]ession\(\))?|httpx(?:\.(?:Async)?Client\(\))?|aiohttp\.ClientSession\(\)|niquests|treq|urllib3(?:\.PoolManager\(\))?|cloudscraper\.create_scraper\(\))\.(?:post|put|patch|delete|request|request_encode_body|send)\Z"
    r"|http\.client\.HTTPS?Connection\(\)\.(?:request|send|endheaders)\Z"
    r"|[a-z]\w*(?:\.\w+|\(\)|\[\])*\.(?:send_document|send_file|send_photo|send_message|sendMessage|sendDocument|chat_postMessage|files_upload\w*|upload_file\w*|upload_from_\w+|put_object)\Z"
    r"|boto3\.(?:client|resource|Session)\(\)\.(?:.*\.)?(?:put_object|upload_file|upload_fileobj|send_message|publish|invoke)\Z"
)
_BODIES = ("data", "json", "files", "content", "body")
_RAW_ADDRESS = re.compile(
    r"(?:https?|ftp)://(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\]|0x[0-9a-f]+|\d{8,10})(?=[:/]|$)",
    re.IGNORECASE,
)
_NEAR = re.compile(r"https?://(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[::1\])")


def network_hits(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Give what a call sends out."""
    for path in look.paths(call.func):
        if _SEND.match(path):
            yield Hit(rule="code.leak" if _carries(call, look) else "code.network", what=path)
        elif _GET.match(path):
            yield from _fetched(call, path, look)
        elif path in REQUESTS:
            method = look.texts(argument(call, -1, "method"))
            if argument(call, 1, "data") is not None or any(m.upper() not in ("GET", "HEAD") for m in method):
                yield Hit(rule="code.leak" if _carries(call, look) else "code.network", what=path)
        elif path.startswith(
            ("socket.", "smtplib.", "ftplib.", "webbrowser.", "websocket", "paramiko.")
        ) and _carries(call, look):
            yield Hit(rule="code.leak", what=path)


def _fetched(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    given = [keyword for keyword in call.keywords if keyword.arg in _BODIES]
    address = argument(call, 0, "url")
    parts = [] if address is None else list(beside_setting(address, look))
    if _carries(call, look, apart=address) or any(holds_source(part, look) for part in parts):
        yield Hit(rule="code.leak", what=path)
    elif (
        given
        or (path.startswith("urllib") and len(call.args) > 1)
        or any(_RAW_ADDRESS.match(text) and not _NEAR.match(text) for text in look.texts(address))
    ):
        yield Hit(rule="code.network", what=path)


def _carries(call: ast.Call, look: Look, apart: ast.expr | None = None) -> bool:
    """Tell whether what a call is given holds something read from files or the environment; a login may.

    Args:
        call: The call.
        look: The tree.
        apart: An argument not to look at: an address, which is judged by its parts.
    """
    given = [value for value in sendable(call) if value is not apart]
    return any(holds_source(value, look) for value in given)
