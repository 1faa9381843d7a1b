import pytest

from nightledger.text.code.audit import audit


def rules(code: str) -> list[str]:
    return [finding.rule for finding in audit(code, "python").findings]


ASKED = [
    "from jinja2 import Template\nTemplate(input('text: ')).render()",
    "from jinja2 import Environment\nimport sys\nEnvironment().from_string(sys.argv[1]).render()",
    "from flask import render_template_string as r, request\nr(f'<b>{request.args[\"q\"]}</b>')",
    "import jinja2\ndef view(self):\n    body = self.request.body\n    return jinja2.Template(body.decode()).render()",
    "import requests\nfrom mako.template import Template\nTemplate(requests.get('https://example.org/t').text).render()",
    "from tornado.template import Template\nclass H:\n    def get(self):\n        return Template(self.get_argument('t'))",
    "from jinja2 import Template\ndef page(req):\n    return Template(source=req.json['t']).render()",
]
HOLDS = [
    "from mako.template import Template\nTemplate('<%\\nimport os\\nos.system(\"id\")\\n%>').render()",
    "from mako.template import Template\nTemplate('${__import__(\"os\").getcwd()}').render()",
    "import tornado.template as t\nt.Template('{% import os %}{{ os.popen(\"id\").read() }}').generate()",
    "from bottle import template\ntemplate('% import shutil\\n% shutil.rmtree(\"a\")\\n')",
    "from chameleon import PageTemplate\nPageTemplate('<b tal:content=\"python: eval(name)\"></b>')()",
]
HARMLESS = [
    "from jinja2 import Template\nTemplate('Dear {{ name }}').render(name='Ines')",
    "from jinja2 import Template\nfrom pathlib import Path\nTemplate(Path('letter.j2').read_text()).render()",
    "from flask import render_template_string, request\nrender_template_string('<p>{{ q }}</p>', q=request.args['q'])",
    "from mako.template import Template\nTemplate('Dear ${name}, <% total = sum(prices) %> ${total}').render()",
    "from bottle import template\ntemplate('% for x in rows:\\n{{x}}\\n% end\\n', rows=[1])",
    "def Template(text):\n    return text\nTemplate(input())",
    "from string import Template\nimport sys\nTemplate(sys.argv[1]).substitute(a=1)",
]


@pytest.mark.parametrize("code", ASKED)
def test_a_template_that_a_stranger_writes_runs_what_stands_in_it(code: str) -> None:
    assert "code.run" in rules(code)


@pytest.mark.parametrize("code", HOLDS)
def test_python_in_a_template_is_judged_as_python(code: str) -> None:
    assert "code.run" in rules(code)


@pytest.mark.parametrize("code", HARMLESS)
def test_a_template_of_the_owners_with_values_of_others_is_none(code: str) -> None:
    assert rules(code) == []


def test_a_template_is_read_once_however_many_calls_are_given_it() -> None:
    calls = "Template(held)\n" * 3_000
    code = f"from mako.template import Template\nheld = '{'{% ' * 6_000}'\n{calls}"
    assert rules(code) == []


def test_pieces_without_an_end_are_not_looked_for_from_each_beginning() -> None:
    held = "\n".join(
        f"t{n} = '{n}' '{begin * 6_000}'" for n, begin in enumerate(("{% ", "<%", "${", "{{") * 3)
    )
    calls = "\n".join(f"Template(t{n})" for n in range(12))
    assert rules(f"from mako.template import Template\n{held}\n{calls}") == []
