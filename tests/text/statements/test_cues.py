import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.text.statements.cues import cue_words, find_cues, languages_of, words_of

WORDS = cue_words()


@each_row(
    ("text", "cue"),
    [
        ("Never restart the kettle by hand", "absolute"),
        ("The kettle doesn't boil milk", "unable"),
        ("The kettle doesn\u2019t boil milk", "unable"),
        ("It failed because the fuse was wet", "cause"),
        ("From now on tea is green", "standing"),
        ("Ann prefers short answers", "wish"),
        ("The log lives in the cellar", "place"),
        ("Перед чисткой всегда выключать чайник", "absolute"),
        ("решили оставить чайник", "decide"),
        ("部署之前必须备份", "duty"),
        ("再起動してはいけない、必ず確認する", "absolute"),
        ("앞으로 항상 백업한다", "standing"),
    ],
)
def test_a_cue_is_found_whatever_the_language(text: str, cue: str) -> None:
    assert cue in find_cues(text)


@pytest.mark.parametrize(
    ("text", "language", "cue"),
    [
        ("Der Wasserkocher darf nicht leer laufen", "de", "ban"),
        ("Ann bevorzugt kurze Antworten", "de", "wish"),
        ("Nunca reiniciar la tetera", "es", "absolute"),
        ("Il faut débrancher la bouilloire", "fr", "duty"),
        ("A chaleira não suporta leite", "pt", "unable"),
        ("Usare sempre acqua fredda", "it", "absolute"),
        ("Từ nay phải tắt ấm trước", "vi", "standing"),
    ],
)
def test_latin_languages_count_only_where_the_file_is_written_in_them(
    text: str, language: str, cue: str
) -> None:
    assert cue in find_cues(text, (language,))
    assert cue not in find_cues(text)


def test_a_phrase_is_found_as_a_whole_only() -> None:
    assert "standing" in find_cues("going forward we boil twice")
    assert "standing" not in find_cues("going slowly, then forward")


def test_a_stem_takes_any_ending_and_whole_words_do_not() -> None:
    assert "lesson" in find_cues("neue Erkenntnisse zum Kocher", ("de",))
    assert "absolute" not in find_cues("the everlasting kettle")


def test_a_files_language_is_told_by_its_common_words() -> None:
    german = (
        "Der Kocher ist kaputt und wird nicht mit Wasser gefüllt, das ist für die Küche ein Problem. " * 3
    )
    assert languages_of(german) == ("de",)
    assert languages_of("The kettle is broken and will not be filled with water in the kitchen. " * 5) == ()
    assert languages_of("") == ()


def test_a_name_from_another_language_does_not_make_the_file_foreign() -> None:
    assert (
        languages_of("We met at El Toro and Los Pinos to talk about the kettle and its fuse, then left. " * 3)
        == ()
    )


def test_every_table_names_only_cues_that_english_has() -> None:
    for table in (*WORDS.latin.values(), WORDS.russian, WORDS.unspaced):
        assert set(table) <= set(WORDS.english)
    assert set(WORDS.latin) == set(WORDS.stop_words)


@given(st.text(max_size=80))
def test_any_text_has_known_cues_only(text: str) -> None:
    assert find_cues(text) <= set(WORDS.english)


def test_the_words_of_a_line_are_counted_in_any_script() -> None:
    assert words_of("Don\u2019t re-use the X_1 port 8080!") == {"don't", "re-use", "the", "x", "port"}
    assert words_of("重启机器 after 夜") == {"重启", "启机", "机器", "after"}
    assert words_of("다시 시작") == {"다시", "시작"}
