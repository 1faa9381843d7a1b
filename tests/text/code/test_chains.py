import pytest
from tests.rows import each_row

from nightledger.text.code.audit import audit


def rules(text: str) -> set[str]:
    return {finding.rule for finding in audit(text, "python").findings}


@pytest.mark.parametrize(
    "text",
    [
        "from functools import reduce\nimport json\nreduce(getattr, ['codecs', 'builtins', 'eval'], json)",
        "from functools import reduce\nimport json\nreduce(getattr, 'codecs.builtins.eval'.split('.'), json)('1')",
        "from functools import reduce\nimport json\nreduce(getattr, 'codecs builtins eval'.split(), json)('1')",
        "from functools import reduce\nimport json\nreduce(lambda a, b: getattr(a, b), ('codecs', 'builtins', 'eval'), json)",
        "from functools import reduce\nimport json\nreduce(getattr, [json, 'codecs', 'builtins', 'eval'])",
        "from itertools import accumulate\nimport json\n*_, f = accumulate(['codecs', 'builtins', 'eval'], getattr, initial=json)",
        "import json, operator\noperator.attrgetter('codecs.builtins.eval')(json)('1')",
        "import json, operator\noperator.attrgetter('dumps', 'codecs.builtins.eval')(json)[1]('1')",
        "import json\no = json\nfor n in ['codecs', 'builtins', 'eval']:\n    o = getattr(o, n)\no('1')",
        "import json\no = json\nfor n in 'codecs.builtins.eval'.split('.'):\n    (o := getattr(o, n))",
    ],
)
def test_a_chain_is_judged_by_what_it_leads_to(text: str) -> None:
    assert "code.run" in rules(text)


@pytest.mark.parametrize(
    "text",
    [
        "from functools import reduce\nimport json\nreduce(getattr, path.split('.'), json)",
        "from functools import reduce\nimport json\nreduce(getattr, ['codecs', x], json)",
        "import json, operator\noperator.attrgetter(path)(json)",
        "import json\no = json\nfor n in path:\n    o = getattr(o, n)",
        "import json\ngetattr(getattr(json, a), b)('1')",
    ],
)
def test_a_chain_from_a_module_by_names_that_are_not_told_is_found(text: str) -> None:
    assert "code.detour" in rules(text)


@each_row(
    "text",
    [
        "from functools import reduce\ndef dig(o, path):\n    return reduce(getattr, path.split('.'), o)",
        "from functools import reduce\nreduce(lambda a, b: a + b, [1, 2], 0)",
        "from functools import reduce\nreduce(lambda a, b: add(a, b), names, 0)",
        "from functools import reduce\nimport json\nreduce(getattr, ['decoder', 'JSONDecoder'], json)",
        "from functools import reduce\nimport json\nreduce(getattr)",
        "from functools import reduce\nimport operator\nreduce(operator.mul, range(1, 9))",
        "from itertools import accumulate\nlist(accumulate([1, 2, 3], initial=0))",
        "import operator\nsorted(rows, key=operator.attrgetter(name))",
        "o = box\nfor n in path.split('.'):\n    o = getattr(o, n)",
        "def f(o, path):\n    for n in path:\n        o = getattr(o, n)\n    return o",
        "x = getattr(getattr(box, a), b)",
        "import json\nx = getattr(json, name)\ny = getattr(json)",
    ],
)
def test_chains_from_anything_else_are_spared(text: str) -> None:
    assert audit(text, "python").clean, audit(text, "python").findings
