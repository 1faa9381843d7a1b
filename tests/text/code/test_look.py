import ast

from nightledger.text.code.look import Look


def test_a_text_that_is_run_often_is_audited_once() -> None:
    asked: list[str] = []

    def nested(text: str) -> bool:
        asked.append(text)
        return False

    look = Look(ast.parse("'>>> f(1)'\n'>>> g(1)'"), nested)
    assert not look.nested("x")
    assert not look.nested("x")
    assert not look.bad_example
    assert not look.bad_example
    assert asked == ["x", ">>> f(1)", ">>> g(1)"]


def test_a_text_is_an_expression_with_the_names_of_the_snippet() -> None:
    look = Look(ast.parse("import os as o"), lambda _text: False)
    assert look.paths(look.expression(" o.abort ")) == ("os.abort",)
    assert look.expression("x = 1") is None
    assert look.expression("a b") is None
    assert look.expression("(" * 5000) is None
