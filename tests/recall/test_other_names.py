from tests.rows import each_row, from_corpus

from nightledger.recall.names import is_slip, names_in, pairs_in, shared_names


@each_row(
    "text, pairs",
    [
        ("CI runs on GitHub Actions (GHA), by hand", {("gha", "github actions")}),
        ("GHA (GitHub Actions) runs at night", {("gha", "github actions")}),
        ("the Point of Sale (PoS) is down", {("pos", "point of sale")}),
        ("see the Dead-Letter Queue (DLQ)", {("dlq", "dead letter queue")}),
        ("it was late (EST) on Monday", set()),
        ("Marta (the owner) prefers mail", set()),
        ("GitHub Actions (see below)", set()),
        ("a relay (R)", set()),
        ("no brackets, GHA", set()),
    ],
)
def test_two_names_of_a_thing_are_read_where_one_abbreviates_the_other(
    text: str, pairs: set[tuple[str, str]]
) -> None:
    assert {*pairs_in(text)} == pairs


@each_row(
    "text, names",
    [
        ("Deploys to a Kubernetes cluster on EKS.", {"kubernetes", "eks"}),
        ("Fastify is used. Helm as well, says Marta", {"marta"}),
        ("the iPhone and the mongoDB driver of K8s", {"iphone", "mongodb", "k8s"}),
        ("The relay and I agree", set()),
        ("Der Bericht geht an die Buchhaltung und nicht an Marta, sagt MongoDB", {"mongodb"}),
        ("报告 用 Redis 渠道", {"redis"}),
        ("", set()),
    ],
)
def test_a_name_is_a_word_that_is_written_as_one_inside_a_sentence(text: str, names: set[str]) -> None:
    assert names_in(text) == names


@from_corpus("text-search-names")
def test_words_are_slips_of_each_other_by_a_letter_and_long_ones_by_two(
    word: str,
    other: str,
    slips: bool,  # noqa: FBT001 - a row
) -> None:
    assert is_slip(word, other) is is_slip(other, word) is slips


def test_each_name_of_the_shipped_table_stands_for_all_others_of_the_same_thing() -> None:
    table = shared_names()
    assert set(table["k8s"]) == {"kubernetes", "kube"}
    assert {"continuous delivery", "continuous deployment"} <= set(table["cd"])
    for name, others in table.items():
        assert name not in others
        assert all(name in table[other] for other in others)
