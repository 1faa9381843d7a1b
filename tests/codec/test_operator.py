import msgspec
import pytest
from tests.rows import from_corpus

from nightledger.codec.records import read_schema
from nightledger.codec.settings import parse_operator
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.settings import Notifier, Operator
from nightledger.files.home import shipped_config
from nightledger.jobs.notify import Template


def refusal(text: str) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        parse_operator(text.encode(), where="operator.yaml")
    return caught.value


def test_a_notifier_is_a_list_of_words() -> None:
    read = parse_operator(
        b'notify: [/usr/bin/notify-send, Nightledger, "{summary}"]\n', where="operator.yaml"
    )
    assert read == Operator(notify=("/usr/bin/notify-send", "Nightledger", "{summary}"))


@from_corpus("codec-operator")
def test_a_notifier_that_cannot_be_used_is_refused(text: str, says: str) -> None:
    error = refusal(f"notify: {text}\n")
    assert says in str(error)
    assert error.hint == "it holds: notify: {by: desktop}"


def test_a_template_is_named_with_what_it_needs() -> None:
    read = parse_operator(b"notify: {by: mail, to: ann@example.org, title: Nightledger (shop)}\n", where="it")
    assert read.notify == Notifier(by="mail", to="ann@example.org", title="Nightledger (shop)")


def test_each_template_that_may_be_named_is_a_row() -> None:
    named = read_schema("operator")["properties"]["notify"]["properties"]["by"]["enum"]
    rows = msgspec.json.decode(shipped_config("notifiers.json"), type=dict[str, Template])
    assert list(rows) == named


def test_a_program_without_its_full_path_is_refused() -> None:
    error = refusal("notify: [notify-send, hello]\n")
    assert str(error) == "operator.yaml: notify: 'notify-send' is not a full path"
    assert error.hint == "command -v notify-send gives it"


def test_a_server_of_embeddings_without_an_address_or_a_model_is_refused() -> None:
    for bare in ("url: 'http://127.0.0.1/v1'", "model: small"):
        told = str(refusal(f"meaning: {{{bare}}}\n"))
        assert told.startswith(
            'operator.yaml:1: meaning: url and model must be given (for example: {"url": "http'
        )
    assert "'packaged' was unexpected" in str(refusal("meaning: {packaged: true}\n"))


def test_a_calendar_of_no_place_or_of_two_is_refused_without_its_address() -> None:
    for places in ("user: ann", "file: /home/ann/a.ics, url: 'https://calendars.example/private-4711'"):
        told = str(refusal(f"calendars: {{work: {{{places}}}}}\n"))
        assert "calendars: work: one of file, url, caldav must be given" in told
        assert "4711" not in told
