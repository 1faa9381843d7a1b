from tests.rows import each_row

from nightledger.gate.views import read_marks_of


@each_row(
    "view",
    [None, b"[]", b'{"read":3}', b'{"read":{"outcomes":1}}', b'{"read":{"outcomes":-1,"exposures":2}}',
     b'{"read":{"outcomes":true,"exposures":2}}', b"[" * 100_000],
)  # fmt: skip
def test_a_view_that_does_not_say_how_far_it_was_read_says_nothing(view: bytes | None) -> None:
    assert read_marks_of(view) is None
