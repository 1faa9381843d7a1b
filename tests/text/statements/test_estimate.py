from math import isclose

import pytest
from tests.text.logs import read

from nightledger.text.statements.estimate import Model, estimate_lines, features_by_line, log_languages


def test_the_chance_is_the_logistic_of_bias_and_weights() -> None:
    model = Model(bias=-1.0, weights={"b.absolute": 2.0, "b.ban": 1.0})
    assert isclose(model.chance(frozenset()), 1 / (1 + 2.718281828459045))
    assert isclose(model.chance(frozenset({"b.absolute", "unknown"})), 1 / (1 + 2.718281828459045**-1))


def test_a_files_language_is_known_for_all_its_lines() -> None:
    log = read("\n".join(["- Der Kocher ist nicht für die Küche und wird nie leer"] * 2))
    assert log_languages(log) == ("de",)
    assert all("b.absolute" in features for features in features_by_line(log).values())


@pytest.mark.parametrize(
    ("kept", "passed_over"),
    [
        (
            "Never descale the kettle with `acid.sh` unless the boiler is cold",
            "Descaled the kettle and checked the boiler ✅",
        ),
        ("Ann prefers plain summaries and does not want tables", "Sent Ann the summary of the tables"),
        (
            "Root cause: the pump cannot start while the valve is open",
            "The pump was started at 14:05 and the valve closed",
        ),
        (
            "Nunca reiniciar la bomba sin avisar, porque la válvula no se cierra",
            "Hoy se actualizó la página de la bomba",
        ),
    ],
)
def test_what_holds_beyond_its_day_is_more_likely_than_what_was_done(kept: str, passed_over: str) -> None:
    chances = estimate_lines(
        read(
            f"## Notas de la casa y del día que se fue con los demás\n- {kept}\n- {passed_over}\n- y con los demás que se fue para el jardín de la casa por la tarde"
        )
    )
    assert chances[2] > 2 * chances[3]


def test_the_order_of_features_changes_no_digit() -> None:
    names = [f"b.{n}" for n in range(200)]
    model = Model(bias=0.1, weights={name: (-1.0) ** n / (n + 3) for n, name in enumerate(names)})
    assert model.chance(frozenset(names)) == model.chance(frozenset(reversed(names)))
