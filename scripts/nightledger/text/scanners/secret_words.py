"""Secrets that only their surroundings give away: a name, a scheme, a told password.

Invariant: the value itself must look like one (``secret_value``); a name alone never
blocks, so that "the API key is in the keyring" and masked look-alikes pass.
"""

# ruff: noqa: RUF001 - text in other scripts is part of these rows
import re
from functools import partial

from nightledger.domain.finding import Severity
from nightledger.text.scanners.rule import FOUR, Accept, Passage, Rule, Spots
from nightledger.text.scanners.secret_value import entropy, is_masked, is_password, is_random

_WRAP = r"[*_`\"' \t]{0,6}"
_NOTE = r"(?:\([^()\n]{0,60}\)[*_`\"' \t]{0,6})?"
_VALUE = r"(?P<it>[^\s`\"'|<>,;()\[\]]{4,300})"
_QUOTED = r"[`\"'「『](?P<it>[^`\"'「」『』\n]{4,80})[`\"'」』]"
TOLD = (
    r"(?:passwor[dt]|passphrase|passcode|passwd|pwd|kennwort|contrase(?:ñ|n)a|clave|mot de passe|senha|palavra-passe|"
    r"wachtwoord|has(?:ł|l)o|пароль|пароля|密码(?!学)|密碼(?!學)|口令|パスワード|비밀번호|암호|mật khẩu|mat khau|şifre|sifre|parola|lösenord)"
)
TOLD_ANCHORS = (
    "passwor", "passphrase", "passcode", "passwd", "pwd", "kennwort", "contrase", "clave", "mot de passe", "senha",
    "palavra-passe", "wachtwoord", "hasł", "haslo", "парол", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호",
    "mật khẩu", "mat khau", "şifre", "sifre", "parola", "lösenord",
)  # fmt: skip
_IS = r"(?:[:：=]|:=|=>|->|→|\bis\b|\bist\b|\blautet\b|\bes\b|\best\b|\bé\b|\bè\b|\bto\b|是|為|为|は|는|은|là|\|)"
_NONETOLD = r"\s{0,3}(?:is\s|was\s|confirmed:\s|[:=]\s)?\s{0,2}(?:an\s)?(?P<it>empty string|\"\"|''|``)"
_KEY_NAME = (
    r"(?:api[ _-]?key|access[ _-]?key|secret[ _-]?key|private[ _-]?key|signing[ _-]?key|consumer[ _-]?key|"
    r"encryption[ _-]?key|auth[ _-]?key|client[ _-]?secret|app[ _-]?secret|webhook[ _-]?secret|token|secret|api[ _-]?schlüssel|"
    r"clave[ _-]?api|clé[ _-]?api|clé|chave[ _-]?(?:de[ _-])?api|ключ|密钥|密鑰|凭证|凭据|令牌|токен|キー|トークン|key)"
)
_KEY_ANCHORS = (
    "key",
    "token",
    "secret",
    "schlüssel",
    "clave",
    "clé",
    "chave",
    "ключ",
    "密钥",
    "密鑰",
    "キー",
    "トークン",
    "凭证",
    "凭据",
    "令牌",
    "токен",
)
_HARMLESS = (
    r"(?<![a-z])(?:sha-?\d*|hash|commit|digest|checksum|revision|fingerprint|public|pub|uuid|session|client[ _-]?id|job|page|"
    r"database|folder|doc|file|message|run|tree|blob|etag|cron)(?![a-z])"
)
_OTHER_KEY = r"(?:pub|config|wallet|account|mint|pool|session|cache|idempotency|partition|primary|foreign|sort|public|host|lookup|routing)[ _-]?$"
_DIGEST_NAME = r"(?<![a-z])(?:hash|sha-?\d*|digest|checksum|fingerprint|public)(?![a-z])"
_UUID = r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ADDRESS = r"(?i)(?:bc1|tb1|ltc1|addr1|cosmos1)[0-9a-z]{30,}$|0x[0-9a-f]{40}$|client_?id="
"""Addresses of accounts, which are given away to be paid, and names that their value says."""
_NEAR = 60
"""Characters before a bare value in which a word may say what it is."""


def _value(text: str, match: re.Match[str]) -> str:
    return text[match.start("it") : match.end("it")].rstrip(".:!*_~")


def _is_key(text: str, match: re.Match[str]) -> bool:
    value = _value(text, match)
    name = text[max(0, match.start() - 16) : match.start("it")].lower()
    known = re.search(_OTHER_KEY, text[max(0, match.start() - 16) : match.start()].lower()) or re.search(
        _DIGEST_NAME, name
    )
    address = re.search(r"@[\w-]+\.", value) or value.startswith(("ssh-", "age1", "npub", "minisign"))
    return is_random(value) and not known and not address


def _is_told(text: str, match: re.Match[str], *, quoted: bool) -> bool:
    return not re.fullmatch(r"[+\d() .-]+", _value(text, match)) and is_password(
        _value(text, match), quoted=quoted
    )


_NO_PASSWORD = frozenset(
    [
        "required",
        "optional",
        "unknown",
        "unchanged",
        "changed",
        "rotated",
        "removed",
        "redacted",
        "hidden",
        "keyring",
        "keychain",
        "vault",
        "stored",
        "secret",
        "secrets",
        "password",
        "manager",
        "bitwarden",
        "1password",
        "disabled",
        "enabled",
        "expired",
        "missing",
        "pending",
        "default",
        "reset",
        "protected",
        "managed",
        "policy",
        "ausstehend",
        "geändert",
        "unbekannt",
        "gespeichert",
        "erforderlich",
        "requis",
        "inconnu",
        "requerido",
        "desconocido",
        "guardada",
        "obrigatório",
        "desconhecida",
    ]
)


def _is_plain_password(text: str, match: re.Match[str]) -> bool:
    value = _value(text, match)
    return not is_masked(value) and value.lower() not in _NO_PASSWORD and not value.isupper()


def _is_partial(text: str, match: re.Match[str]) -> bool:
    return is_random(text[match.start("it") : match.end("it")].rstrip("."), shortest=8)


def _is_shown(text: str, match: re.Match[str]) -> bool:
    return not is_masked(text[match.start("it") : match.end("it")])


def _is_login(text: str, match: re.Match[str]) -> bool:
    value = _value(text, match)
    return not is_masked(value) and value.lower() not in {"pass", "password", "secret", "user", "pw", "port"}


def _is_bare(text: str, match: re.Match[str]) -> bool:
    near = text[max(0, match.start("it") - _NEAR) : match.start("it")].rpartition("\n")[2].lower()
    value = _value(text, match)
    id_only = re.fullmatch(_UUID, value) and not re.search(r"key|token|secret|passw", near)
    return (
        _is_key(text, match)
        and not re.search(_HARMLESS, near)
        and not id_only
        and not re.match(_ADDRESS, value)
    )


def _is_dense(text: str, match: re.Match[str]) -> bool:
    value = _value(text, match)
    mixed = any(c.isupper() for c in value) and any(c.islower() for c in value)
    return mixed and _is_bare(text, match) and entropy(value) >= _DENSE_BITS


_DENSE_BITS = 4.5
"""detect-secrets' limit for base64; a random key of 40 characters has about 4.8."""


def _group_of_four(text: str, match: re.Match[str]) -> bool:
    groups = text[match.start("it") : match.end("it")].replace("-", " ").split(" ")
    vowelless = sum(not set(group) & set("aeiouy") for group in groups)
    return vowelless >= 2 and len(set("".join(groups))) > FOUR  # noqa: PLR2004 - words have vowels


def _groups(passage: Passage) -> tuple[int, ...]:
    return passage.groups(2)


def _long_words(passage: Passage) -> tuple[int, ...]:
    return passage.long_words


def _row(kind: str, message: str, anchors: tuple[str, ...], pattern: str, accept: Accept, *, catches: tuple[str, ...],  # noqa: PLR0913 - the columns of a table
         spares: tuple[str, ...], severity: Severity = Severity.BLOCK, spots: Spots | None = None) -> Rule:  # fmt: skip
    return Rule(
        name=f"secret.{kind}", severity=severity, message=message, anchors=anchors, pattern=pattern, accept=accept,
        catches=catches, spares=spares, folded=True, spots=spots,
    )  # fmt: skip


_SAMPLE = "q7Zr2Xw9Lm4T" + "c8Vh3Nb6Yj1P"
_HEX_SAMPLE = "7f3a9c1e5b8d2046" + "93be71d0c45a8f26"

WORD_RULES: tuple[Rule, ...] = (
    _row("url_password", "a password in an address", ("://",),
         r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@`\"'<>]{0,80}:(?P<it>[^\s/`\"'<>]{3,120})@(?=[a-z0-9\[])", _is_login,
         catches=("postgres://atlas:" + "Wq8!tz" + "@db.local:5432/atlas", "postgres://atlas:" + "Wq@8tz" + "@db.local:5432/atlas", "postgres://atlas:" + "p@" + "ss9w@db.local:5432/atlas", "https://bot:" + _SAMPLE + "@git.example.org/x"),
         spares=("postgres://user:password@localhost/db", "postgres://atlas:${DB_PASS}@db/atlas", "https://a.example/b:c")),
    _row("url_token", "a key in an address", ("key=", "token=", "secret=", "sig=", "password="),
         r"[?&](?:api_?key|key|access_token|auth_token|token|secret|client_secret|sig|signature|password)=(?P<it>[^\s&#`\"'<>)]{12,300})", _is_key,
         catches=("https://api.example.org/v1?key=" + _SAMPLE,), spares=("https://api.example.org/v1?key=YOUR_KEY_HERE",)),
    _row("bearer", "a bearer or basic authorization", ("bearer", "basic"),
         r"\b(?:bearer|basic)[ \t]{1,3}(?P<it>[a-z0-9._~+/=-]{16,2000})", _is_key,
         catches=("Authorization: Bearer " + _SAMPLE,), spares=("send a Bearer token", "Bearer <token>", "basic configuration-of-the-node")),
    _row("named", "a value named as a key or token", _KEY_ANCHORS,
         _KEY_NAME + r"(?:[ _-](?!is\b|ist\b)[^\W\d_]{1,14}){0,4}" + _WRAP + _NOTE + _IS + _WRAP + r"[<(]?" + _WRAP + _VALUE, _is_key,
         catches=("API key: " + _SAMPLE, "- **Gateway token:** `" + _HEX_SAMPLE + "`", "| relay token | " + _SAMPLE + " |",
                  "Key stored: " + _HEX_SAMPLE, "token (since May): `" + _SAMPLE + "`", "`gate.auth.token` = `" + _HEX_SAMPLE + "`",
                  "clave api: " + _SAMPLE, "密钥：" + _SAMPLE, "RELAY_API_KEY=" + _SAMPLE),
         spares=("API key: stored in the keyring", "token: 200k", "token = process.env.RELAY_TOKEN", "API key: `****`",
                 "api_key: <redacted>", "Key insight: gateway-restart-2026-03-04", "node pubkey: " + _HEX_SAMPLE, "did not store the API key", "token limit: 200000", "sessionKey=agent" + _SAMPLE, "secret word hash: " + _HEX_SAMPLE,
                 'account: "token:default:anna2024smith@example.org"', "private key: `secrets/relay_ed25519_key`")),
    _row("password", "a password told in words", TOLD_ANCHORS,
         TOLD + r"(?:[ _-][a-z]{1,10}){0,2}?" + _WRAP + _NOTE + _IS + _WRAP + r"\(?" + _WRAP + _QUOTED, partial(_is_told, quoted=True),
         catches=("the gate password is: `Blau" + "kraut7`", 'Passwort lautet "rot' + 'e-Tür9"', "パスワードは「Kumo" + "8sora」"),
         spares=("the password is `required`", "password: `$DB_PASS`", "password is in `vault.example.key`", "password: '********'")),
    _row("password", "a password told in words", TOLD_ANCHORS,
         TOLD + r"(?:[ _-][a-z]{1,10}){0,2}?" + _WRAP + _NOTE + _IS + _WRAP + _VALUE, partial(_is_told, quoted=False),
         catches=("password: Blau" + "kraut7!", "the wifi password is sun" + "ny42day", "contraseña: ver" + "ano-2o24",
                  "mot de passe : Lune" + "9verte", "senha: mar" + "9azul", "пароль: лето" + "2024x", "密码是 Yun" + "3han7",
                  "パスワードは Kumo" + "8sora", "비밀번호: Bada" + "77namu", "mật khẩu là Trang" + "5xanh"),
         spares=("password is required", "the password was not stored", "password: [redacted]", "password manager: bitwarden",
                 "did not store the password", "password is 16 characters", "passwords expire on 2026-04-01")),
    _row("password", "a password in quotes after its name", TOLD_ANCHORS,
         TOLD + r"[ \t]{1,3}\(?" + _QUOTED, partial(_is_told, quoted=True),
         catches=("the old password (`Blau" + "kraut7!`) is back", "app password `xkpt " + "hjwq bzrn mdvl` set"),
         spares=("the password `field` is empty", "password (`--prompt`)")),
    _row("password", "an empty password", TOLD_ANCHORS, TOLD + _NONETOLD, lambda _text, _match: True,
         catches=("gate password: empty string",), spares=("the password field must not stay empty",)),
    _row("password", "a plain word told as the password", TOLD_ANCHORS,
         r"^[ \t>]{0,12}(?:[-*+|][ \t]{1,3})?[*_`]{0,3}" + TOLD + r"[*_`]{0,3}[ \t]{0,2}[:：][*_`]{0,3}[ \t]{1,3}[*_`\"']{0,2}(?P<it>[^\s`\"'*|<>:/.,;()\[\]]{6,64})[*_`\"'|]{0,2}[ \t]{0,4}$", _is_plain_password,
         catches=("- **Password:** son" + "nenblume", "Passwort: glueck" + "spilz"),
         spares=("- Password: required", "Password: unchanged", "password: see the keyring", "Passwort: ausstehend")),
    _row("app_password", "four groups of random letters, as app passwords are", (),
         r"(?:^|[\]:`\"'])[ \t]{0,3}[`\"']?(?P<it>[a-z]{4}(?P<gap>[ -])[a-z]{4}(?P=gap)[a-z]{4}(?P=gap)[a-z]{4})(?![a-z -])", _group_of_four, spots=_groups,
         catches=("[10:43] xkpt " + "hjwq bzrn mdvl", "it is `xkpt-" + "hjwq-bzrn-mdvl`"), spares=("- this page must load", "then: read more than once", "four groups: `xxxx xxxx xxxx xxxx`")),
    _row("partial", "the visible part of a shortened key", _KEY_ANCHORS,
         r"(?:key|token|secret)[^\n]{0,40}?[ (`\"'](?P<it>[a-z0-9_-]{8,40})(?:\.{3}|\N{HORIZONTAL ELLIPSIS})", _is_partial,
         catches=("our relay token (`Fq" + "7Tz3Kw81...`) reads only",), spares=("the token (`abc...`)", "key facts about gateways..."),
         severity=Severity.FLAG),
    _row("partial", "the visible part of a shortened key", ("...", "\N{HORIZONTAL ELLIPSIS}"),
         r"(?<![a-z0-9_-])(?:sk-|ghp_|gho_|github_pat_|glpat-|ntn_|xox[bp]-|akia|aiza|hf_|gsk_|r8_)(?P<it>[a-z0-9_-]{4,60})(?:\.{3}|\N{HORIZONTAL ELLIPSIS})", _is_shown,
         catches=("key in use (sk-" + "zz-Mq4tPw...)",), spares=("keys start with sk-...", "the prefix ghp_xxxxx..."), severity=Severity.FLAG),
    _row("near_word", "a random value beside a word for a secret", (*_KEY_ANCHORS, "credential", "auth", *TOLD_ANCHORS[:5]),
         r"(?:key|token|secret|credential|passw|passphrase|auth)[^\n]{0,60}?(?<![a-z0-9_/.#-])(?P<it>[a-z0-9_+=-]{20,120})(?![a-z0-9_+=/-])", _is_bare,
         catches=("consumer key fixed, now `ck_" + _SAMPLE + "`",), spares=("token fix in commit " + _HEX_SAMPLE, "auth: public key ssh-ed25519 AAAA",
                 "credentials.json (client ID: 5830" + _SAMPLE + ")")),
    _row("entropy", "a long random value", (),
         r"(?<![a-z0-9_/+.=%#?&-])(?P<it>[a-z0-9_+/=-]{40,200})(?![a-z0-9_/+.=%-])", _is_dense,
         catches=("it printed " + _SAMPLE + "Rg5KdQ2wZxT7uB9eLfPs",), spares=("commit " + _HEX_SAMPLE + "aa11bb22", "a-very-long-name-of-a-branch-with-words-and-2-numbers"),
         severity=Severity.FLAG, spots=_long_words),
)  # fmt: skip
"""Ordered from exact to wide: a wider row stays silent where an earlier one spoke."""
