"""Rules about what leaves the machine: requests, sockets, and secrets or files in what is sent.

Invariant: pure. Fetching from an address is no finding; sending is one, and sending what was read
from files or the environment a worse one.
"""

import ast
import re
from collections.abc import Iterator

from nightledger.text.code.folding import HOLE
from nightledger.text.code.look import Hit, Look, argument
from nightledger.text.code.paths import matches

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
_SOURCES = (
    "os.environ*", "os.getenv*", "builtins.open()*", "io.open()*", "builtins.open", "pathlib.Path().read_text*", "pathlib.Path().read_bytes*", "pathlib.Path().open()*", "keyring.get_password*",
    "socket.gethostname*", "getpass.getuser*", "sqlite3.connect()*", "subprocess.*", "os.popen*", "pyperclip.*", "configparser.ConfigParser()[]*",
)  # fmt: skip
_READERS = frozenset({"read_text", "read_bytes"})
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
        elif path in ("urllib.request.Request", "urllib2.Request"):
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
    whole = not any(text.startswith("http") and HOLE in text for text in look.texts(address))
    if _carries(call, look, apart=address if whole else None):
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
        apart: An argument not to look at: an address that is a setting as a whole.
    """
    own = [
        k.value
        for k in call.keywords
        if k.arg not in ("headers", "auth", "timeout", "cert", "verify", "proxies")
    ]
    given = [value for value in (*call.args, *own) if value is not apart]
    return any(_is_source(node, look) for value in given for node in look.below(value))


def _is_source(node: ast.AST, look: Look) -> bool:
    if isinstance(node, ast.Attribute) and node.attr in _READERS and isinstance(look.parent(node), ast.Call):
        return True
    if isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.Name)):
        return any(matches(path, _SOURCES) for path in look.paths(node))
    return False
