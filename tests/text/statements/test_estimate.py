import json

from tests.rows import from_corpus
from tests.text.logs import read

from nightledger.files.home import shipped_config
from nightledger.text.statements.cues import cue_words
from nightledger.text.statements.estimate import estimate_lines


@from_corpus("text-statements-estimate")
def test_what_holds_beyond_its_day_is_more_likely_than_what_was_done(kept: str, passed_over: str) -> None:
    chances = estimate_lines(
        read(
            f"## Notas de la casa y del día que se fue con los demás\n- {kept}\n- {passed_over}\n- y con los demás que se fue para el jardín de la casa por la tarde"
        )
    )
    assert chances[2] > 2 * chances[3]


def test_what_a_lead_names_counts_for_the_lines_below_it() -> None:
    logs = (f"## Kiln\n{lead}:\n- Glaze the bowls before they are fired" for lead in ("Rules", "Report"))
    below_rules, below_report = (estimate_lines(read(log))[3] for log in logs)
    assert below_rules > 2 * below_report


FITTED = json.loads(shipped_config("words/statement-weights.json"))


def test_every_weight_belongs_to_a_feature_that_there_is() -> None:
    kinds = {*"bhlpst", "hh", "ld", "len"}
    assert {name.split(".")[0] for name in FITTED["weights"]} <= kinds
    assert {name.split(".")[0] for name in FITTED["words"]} == {"w", "wl", "wh"}


WORDS = cue_words()


def test_every_table_names_only_cues_that_english_has() -> None:
    for table in (*WORDS.latin.values(), WORDS.russian, WORDS.unspaced):
        assert set(table) <= set(WORDS.english)
    assert set(WORDS.latin) == set(WORDS.stop_words)
