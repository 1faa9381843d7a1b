from bench.audit_corpus import held_out, read_corpus


def test_the_corpus_has_at_least_sixty_of_each_kind_in_two_halves_that_depend_on_names_alone() -> None:
    corpus = read_corpus()
    for label, least in (("hostile", 60), ("benign", 60), ("unaudited", 10)):
        halves = [s.held_out for s in corpus if s.label == label]
        assert len(halves) >= least
        assert abs(sum(halves) * 2 - len(halves)) <= 1
    assert held_out(["a", "b", "c", "d"]) == held_out(["d", "c", "b", "a"])
