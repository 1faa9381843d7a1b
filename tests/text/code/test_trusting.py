import pytest

from nightledger.text.code.audit import audit


def rules(code: str) -> list[str]:
    return [finding.rule for finding in audit(code, "python").findings]


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("AutoModel.from_pretrained('a/b', trust_remote_code=True)", "code.load"),
        ("keras.models.load_model('a.keras', safe_mode=False)", "code.unpickle"),
        ("FAISS.load_local('a', e, allow_dangerous_deserialization=True)", "code.unpickle"),
        ("make_agent(frame, allow_dangerous_code=True)", "code.run"),
    ],
)
def test_a_guard_that_is_given_up_is_found(code: str, rule: str) -> None:
    assert rules(code) == [rule]
    assert rules(code.replace("True", "flag").replace("False", "flag")) == []
    assert rules(code.replace("True", "None").replace("False", "True")) == []


@pytest.mark.parametrize(
    "code",
    [
        "import sympy\nx = sympy.sympify(input())",
        "import sys, numexpr as ne\nprint(ne.evaluate(sys.argv[1]))",
        "from sympy import parse_expr\nparse_expr(\"__import__('os').system('id')\")",
    ],
)
def test_a_formula_of_a_stranger_or_one_that_does_harm_is_found(code: str) -> None:
    assert "code.run" in rules(code)


@pytest.mark.parametrize(
    "code",
    [
        "import sympy\nprint(sympy.sympify('x**2 + 1'))",
        "import numexpr as ne\nprint(ne.evaluate('a * b + 1'))",
        "from sympy import parse_expr\ndef solve(text):\n    return parse_expr(text)",
        "import sympy\nsympy.sympify()",
    ],
)
def test_a_formula_of_ones_own_is_none(code: str) -> None:
    assert rules(code) == []


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("from langchain_experimental.tools import PythonREPLTool\nPythonREPLTool().run(a)", "code.run"),
        ("import mlflow\nmlflow.pyfunc.load_model('a').predict(b)", "code.unpickle"),
        ("import pandas as pd\npd.read_sql('TRUNCATE users', con)", "code.delete"),
    ],
)
def test_names_of_other_libraries(code: str, rule: str) -> None:
    assert set(rules(code)) == {rule}
