from nightledger.hosts.roots import state_roots


def test_each_host_has_its_directory_below_the_users_own() -> None:
    assert state_roots("/home/ann", {}) == {
        "openclaw": "/home/ann/.openclaw",
        "claude_code": "/home/ann/.claude",
        "codex": "/home/ann/.codex",
        "hermes": "/home/ann/.hermes",
    }


def test_a_variable_of_the_host_names_another() -> None:
    roots = state_roots("/home/ann", {"OPENCLAW_STATE_DIR": "/srv/claw", "CLAUDE_CONFIG_DIR": ""})
    assert (roots["openclaw"], roots["claude_code"]) == ("/srv/claw", "/home/ann/.claude")
