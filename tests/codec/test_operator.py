import pytest

from nightledger.codec.settings import parse_operator
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.settings import Operator


def refusal(text: str) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        parse_operator(text.encode(), where="operator.yaml")
    return caught.value


def test_a_notifier_is_a_list_of_words() -> None:
    read = parse_operator(
        b'notify: [/usr/bin/notify-send, Nightledger, "{summary}"]\n', where="operator.yaml"
    )
    assert read == Operator(notify=("/usr/bin/notify-send", "Nightledger", "{summary}"))


def test_a_command_line_in_one_string_is_refused() -> None:
    error = refusal("notify: notify-send hello\n")
    assert str(error).startswith("operator.yaml:1: notify: 'notify-send hello' is not of type 'array'")
    assert "notify: [/usr/bin/notify-send" in error.hint


def test_a_program_without_its_full_path_is_refused() -> None:
    error = refusal("notify: [notify-send, hello]\n")
    assert str(error) == "operator.yaml: notify: 'notify-send' is not a full path"
    assert error.hint == "command -v notify-send gives it"


def test_a_server_of_embeddings_without_an_address_or_a_model_is_refused() -> None:
    bare = refusal("meaning: {url: 'http://127.0.0.1/v1'}\n")
    assert str(bare) == "operator.yaml: meaning: url and model are to be given"
    assert "url and model" in str(refusal("meaning: {model: small}\n"))
    assert "'packaged' was unexpected" in str(refusal("meaning: {packaged: true}\n"))
