"""Secrets that tell their kind by their own shape: the rows of the table.

Invariant: a row needs no context, so a match blocks wherever it stands. Shapes follow
the issuers' own documentation and the rule sets of gitleaks and detect-secrets;
examples are built from parts, so that no whole token stands in this file.
"""

import re

from nightledger.domain.finding import Severity
from nightledger.text.scanners.rule import Accept, Passage, Rule, Spots, always
from nightledger.text.scanners.secret_value import entropy, is_masked, is_random

_EDGE = r"(?<![A-Za-z0-9_-])"
_END = r"(?![A-Za-z0-9_-])"
_FLAT_BITS = 2.5
"""Below this a value is a row of equal letters, drawn by hand to show a shape."""


def _drawn(text: str, match: re.Match[str]) -> bool:
    value = text[match.start() : match.end()]
    return not is_masked(value) and entropy(value) > _FLAT_BITS


def _random(text: str, match: re.Match[str]) -> bool:
    return is_random(text[match.start() : match.end()], shortest=20)


def _long_words(passage: Passage) -> tuple[int, ...]:
    return passage.long_words


def _fill(length: int, alphabet: str = "a7Kq2Zr9Xw4Lm8Tc5Vh3Nb6Yj1Pd0Gs") -> str:
    return (alphabet * (length // len(alphabet) + 1))[:length]


_HEX = "7f3a9c1e5b8d2046"


def _token(name: str, kind: str, anchors: tuple[str, ...], pattern: str, example: str, *, spares: tuple[str, ...] = (),  # noqa: PLR0913 - the columns of a table
           accept: Accept = _drawn, after: int = 400, spots: Spots | None = None) -> Rule:  # fmt: skip
    return Rule(
        name=f"secret.{name}",
        severity=Severity.BLOCK,
        message=f"looks like {kind}",
        anchors=anchors,
        pattern=pattern,
        catches=(f"found {example} in the notes",),
        spares=(
            *(f"the prefix {anchor} alone" for anchor in anchors),
            *(anchor + "*" * 20 for anchor in anchors),
            *spares,
        ),
        accept=accept,
        after=after,
        spots=spots,
        unbroken=" " not in example,
    )


TOKEN_RULES: tuple[Rule, ...] = (
    _token("aws_key", "an AWS access key id", ("akia", "asia", "abia", "acca"),
           _EDGE + r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}" + _END, "AKIA" + "Q3EGR7TZ2MWX5LKD",
           spares=("AKIA" + "IOSFODNN7EXAMPLE",)),
    _token("github", "a GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
           _EDGE + r"gh[pousr]_[A-Za-z0-9]{30,255}" + _END, "ghp_" + _fill(36)),
    _token("github_fine", "a GitHub fine-grained token", ("github_pat_",),
           _EDGE + r"github_pat_[A-Za-z0-9_]{36,255}" + _END, "github_pat_" + _fill(22) + "_" + _fill(59)),
    _token("gitlab", "a GitLab token", ("glpat-", "gldt-", "glrt-", "glptt-"),
           _EDGE + r"gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,64}" + _END, "glpat-" + _fill(20)),
    _token("slack", "a Slack token", ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.xox", "xapp-"),
           _EDGE + r"(?:xox[abprse](?:\.xox[bp])?|xapp)-[A-Za-z0-9-]{10,250}" + _END, "xoxb-" + "214873650912-" + _fill(24)),
    _token("slack_webhook", "a Slack webhook", ("hooks.slack.com/",),
           r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,120}",
           "https://hooks.slack.com/services/" + "T02K9QZ71/B04M8XW35/" + _fill(24)),
    _token("discord_webhook", "a Discord webhook", ("discord.com/api/webhooks/", "discordapp.com/api/webhooks/"),
           r"discord(?:app)?\.com/api/webhooks/\d{17,20}/[A-Za-z0-9_-]{60,80}",
           "https://discord.com/api/webhooks/" + "118273645091827364/" + _fill(68)),
    _token("discord", "a Discord bot token", (),
           _EDGE + r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}" + _END,
           "M" + _fill(23) + ".X9kQ2a." + _fill(38), spares=("Memory.longer.names", "docs.python.org"), spots=_long_words),
    _token("stripe", "a Stripe key", ("sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"),
           _EDGE + r"(?:(?:sk|rk)_(?:live|test)|whsec)_[A-Za-z0-9]{16,120}" + _END, "sk_live_" + _fill(24)),
    _token("anthropic", "an Anthropic key", ("sk-ant-",),
           _EDGE + r"sk-ant-[A-Za-z0-9_-]{20,200}" + _END, "sk-ant-" + "api03-" + _fill(40)),
    _token("openai", "an OpenAI style key", ("sk-",),
           _EDGE + r"sk-(?!ant-)(?:(?:proj|svcacct|admin|or|cp|lf|None)-)?(?:v1-)?(?=[A-Za-z_-]{0,80}\d)[A-Za-z0-9_-]{20,200}" + _END,
           "sk-" + "proj-" + _fill(48), spares=("sk-learn-pipeline-with-a-long-name-2", "task-runner-2026-worker-node-name"), accept=_random),
    _token("google", "a Google API key", ("aiza",), _EDGE + r"AIza[A-Za-z0-9_-]{35}" + _END, "AIza" + _fill(35)),
    _token("google_oauth", "a Google OAuth secret", ("gocspx-", "ya29."),
           _EDGE + r"(?:GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{30,300})", "GOCSPX-" + _fill(28)),
    _token("npm", "an npm token", ("npm_",), _EDGE + r"npm_[A-Za-z0-9]{36}" + _END, "npm_" + _fill(36)),
    _token("pypi", "a PyPI token", ("pypi-agei", "pypi-agen"),
           _EDGE + r"pypi-AgE[IN][A-Za-z0-9_-]{50,300}", "pypi-" + "AgEI" + _fill(60)),
    _token("telegram", "a Telegram bot token", (":aa",),
           r"(?:(?<![\w:])|(?<=bot))\d{8,11}:AA[A-Za-z0-9_-]{28,40}" + _END, "7261940385:" + "AA" + _fill(33)),
    _token("rapidapi", "a RapidAPI key", ("msh",),
           _EDGE + r"[0-9a-f]{10}msh[0-9a-f]{14,16}p1[0-9a-f]{5,7}jsn[0-9a-f]{11,13}" + _END,
           _fill(10, _HEX) + "msh" + _fill(15, _HEX) + "p1" + _fill(6, _HEX) + "jsn" + _fill(12, _HEX)),
    _token("sendgrid", "a SendGrid key", ("sg.",),
           _EDGE + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}" + _END, "SG." + _fill(22) + "." + _fill(43)),
    _token("mailgun", "a Mailgun key", ("key-",), _EDGE + r"key-[0-9a-f]{32}" + _END, "key-" + _fill(32, _HEX)),
    _token("twilio", "a Twilio key", ("sk",), _EDGE + r"SK[0-9a-f]{32}" + _END, "SK" + _fill(32, _HEX)),
    _token("huggingface", "a Hugging Face token", ("hf_",), _EDGE + r"hf_[A-Za-z]{34}" + _END, "hf_" + _fill(34, "aKqZrXwLmTcVhNbYjPdGs")),
    _token("notion", "a Notion token", ("ntn_", "secret_"),
           _EDGE + r"(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})" + _END, "ntn_" + _fill(46)),
    _token("linear", "a Linear key", ("lin_api_",), _EDGE + r"lin_api_[A-Za-z0-9]{40}" + _END, "lin_api_" + _fill(40)),
    _token("digitalocean", "a DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"),
           _EDGE + r"do[opr]_v1_[0-9a-f]{64}" + _END, "dop_v1_" + _fill(64, _HEX)),
    _token("model_host", "a model host's key", ("gsk_", "xai-", "pplx-", "r8_", "tvly-", "fc-", "nvapi-", "jina_"),
           _EDGE + r"(?:gsk_|xai-|pplx-|r8_|tvly-(?:dev-)?|fc-|nvapi-|jina_)(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{24,120}" + _END,
           "gsk_" + _fill(52), spares=("fc-list-all-fonts-of-this-machine",), accept=_random),
    _token("cloud_tool", "a hosted tool's token",
           ("sbp_", "glsa_", "figd_", "shpat_", "dapi", "tskey-", "atatt3", "sq0atp-", "phx_", "pat-na1-"),
           _EDGE + r"(?:sbp_|glsa_|figd_|shpat_|dapi(?=[0-9a-f]{32})|tskey-(?:auth|api|client)-|ATATT3|sq0atp-|phx_|pat-na1-)"
           r"(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_=-]{20,220}" + _END, "sbp_" + _fill(40, _HEX), accept=_random),
    _token("age", "an age secret key", ("age-secret-key-1",),
           _EDGE + r"AGE-SECRET-KEY-1[0-9A-Z]{58}" + _END, "AGE-SECRET-KEY-1" + _fill(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")),
    _token("jwt", "a signed web token (JWT)", ("eyj",),
           _EDGE + r"eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,700}",
           "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiJhdGxhcyJ9." + _fill(43), after=7000),
    _token("private_key", "a private key", ("-----begin",),
           r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
           r"(?:[^-]{0,20000}(?:-----END (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?)",
           "-----BEGIN OPENSSH PRIVATE" + " KEY-----\nb3BlbnNz\n-----END OPENSSH PRIVATE" + " KEY-----",
           spares=("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----"),
           accept=always, after=21000),
)  # fmt: skip
"""Rows ordered from the most exact shape to the widest."""
