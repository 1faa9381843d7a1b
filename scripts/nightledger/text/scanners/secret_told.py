"""Passwords and codes as owners jot them down: plain words, pairs, lists, assignments.

Invariant: a label beside the value or a shape that only passwords have; placeholders, names of
variables, files and masks pass (``secret_value``). Codes that work once or for minutes are held,
too: they are worth nothing in a memory. Invitations are flagged only: an owner may want them there.
"""

# ruff: noqa: RUF001 - text in other scripts is part of these rows
import re

from nightledger.domain.finding import Severity
from nightledger.text.scanners.rule import Accept, Passage, Rule, Spots
from nightledger.text.scanners.secret_value import (
    is_no_secret,
    is_password,
    is_placeholder,
    is_random,
    is_strong,
)
from nightledger.text.scanners.secret_words import TOLD, TOLD_ANCHORS

_WHOLE = r"(?:(?<![a-z0-9%_])|(?=passwor|passphr|kennwort))"
"""Not in the middle of a random value, where three letters mean nothing."""
_LABEL = rf"(?:{_WHOLE}{TOLD}|(?<![\w-])(?:pw|pass|psw)(?![\w-]))"
_SURE_LABEL = rf"(?:{_WHOLE}{TOLD}|(?<![\w-])pw(?![\w-]))"
_LABEL_ANCHORS = (*TOLD_ANCHORS, "pw", "pass:", "psw")
_MARK = r"[*_`\"' \t]{0,6}"
_NEAR = 90
"""Characters before a value in which a hint may stand; one sentence of a log."""
SHORT = 8
"""Fewest characters of a value that its name alone makes a key; a shorter one is a mode or a count."""
_LONG = 16
"""Characters of a group that no name has, and of a value of letters alone that is no mode."""
_FEW = 3
"""Different digits in a row of digits that someone drew, 121212."""
_BEFORE_PAIR = 60
"""Characters before a pair of user and password in which a word for a login may stand."""

_LOGIN = (
    r"(?<![a-z])(?:log-?ins?|logins?|logon|ssh|sftp|ftp|vnc|rdp|portal|credentials?|creds?|auth|accounts?|user(?:name)?|admin|root|"
    r"wi-?fi|wlan|ssid|zugang|zugangsdaten|anmeldung|identifiants?|compte|acceso|usuario|usuário|conta|acesso|cuenta|utente|accesso)"
    r"(?![a-z])|логин|доступ|учетн|учётн|креды|пользовател|账号|帳號|账户|帳戶|凭证|凭据|登录|登入|アカウント|ログイン|로그인|계정"
)
_ONCE = (
    r"(?:pairing|one-?time|verification|verify|authentication|authorization|device|login|sign-?in|2fa|mfa|recovery|backup|sms|confirmation)"
    r"[ -](?:pass)?codes?|(?<![a-z])otps?(?![a-z])|einmalcode|bestätigungscode|código de (?:verificación|verificação|emparejamiento|acceso)|"
    r"code de (?:vérification|connexion)|код подтверждения|код входа|код сопряжения|验证码|驗證碼|配对码|配對碼|認証コード|確認コード|인증번호"
)
_QUESTION = (
    r"(?:security|secret|challenge|verification) question|認証|秘密の質問|本人確認|合言葉|密保|安全问题|安全問題|sicherheitsfrage|"
    r"pregunta de seguridad|question (?:de sécurité|secrète)|pergunta de segurança|контрольный вопрос"
)
_COMMON = frozenset(
    "none null nil tbd todo n/a yes true false okay empty unset missing required optional unknown unchanged changed rotated removed "  # noqa: SIM905 - words are read in rows
    "redacted hidden keyring keychain vault stored secret secrets password passwords manager bitwarden lastpass keepass disabled enabled "
    "expired pending default reset protected managed policy same saved working works correct incorrect wrong invalid valid rejected "
    "accepted failed fails needed only without gates gated gate auth encrypted hashed plain generated configured updated created "
    "forgotten provided verified known private prompt field input string settings login admin root user above below via from with "
    "environment variable file-based app-specific ausstehend geändert unbekannt gespeichert erforderlich requis inconnu requerido "
    "desconocido guardada obrigatório desconhecida хранится сохранен сохранён неизвестен изменен изменён нет".split()
)


def _value(text: str, match: re.Match[str]) -> str:
    return text[match.start("it") : match.end("it")].rstrip(".:*_~`,;").lstrip("*_~")


def _line_before(text: str, match: re.Match[str], length: int) -> str:
    at = match.start("it")
    return text[max(0, at - length) : at].rpartition("\n")[2].lower()


def _goes_on(text: str, match: re.Match[str]) -> bool:
    """Say whether dots follow, or end the value, that stand for the rest of a shortened one."""
    return bool(re.search(r"\.{2}|\N{HORIZONTAL ELLIPSIS}", text[match.end("it") - 2 : match.end("it") + 2]))


def _is_plain(text: str, match: re.Match[str]) -> bool:
    """A word after a label and a colon, closed by a mark: the label is enough, but for the word pass."""
    value = _value(text, match)
    if match[0].startswith("pass") and re.match(r"pass\W", match[0]) and not is_password(value, quoted=False):
        return False
    if is_no_secret(value) or value.lower() in _COMMON or _goes_on(text, match) or value.isdigit():
        return False
    return not re.fullmatch(r"[\W_]*", value) and not value.endswith(("ed", "ing"))


def _is_beside(text: str, match: re.Match[str]) -> bool:
    """A mixed value right behind its label, without a colon."""
    value = _value(text, match)
    mixed = sum(c.isdigit() for c in value) >= 2 or is_strong(value)  # noqa: PLR2004 - one digit is a version
    return (
        mixed and not is_no_secret(value) and not _goes_on(text, match) and is_password(value, quoted=False)
    )


def _is_digits(text: str, match: re.Match[str]) -> bool:
    return not re.match(r"[.:/-]?\d", text[match.end("it") : match.end("it") + 2])


def _is_strong_near(text: str, match: re.Match[str]) -> bool:
    hint = re.search(_SURE_LABEL, _line_before(text, match, _NEAR))
    return bool(hint) and is_strong(_value(text, match)) and not _goes_on(text, match)


def _is_given(text: str, match: re.Match[str]) -> bool:
    """A value behind a user's name where only a password stands: letters with two digits or a sign."""
    value = _value(text, match)
    mixed = re.search(r"\d\D*\d|[!@#$%^&*+?=~]", value) and any(c.isalpha() for c in value)
    return bool(mixed) and not is_no_secret(value)


def _is_pair(text: str, match: re.Match[str]) -> bool:
    """The second part of ``user / value``: a mixed value where the line tells of a login, else a strong one."""
    value = _value(text, match)
    if (
        is_no_secret(value)
        or not value.isascii()
        or re.match(r"[`\"')\]]{0,2} ?/", text[match.end() : match.end() + 4])
    ):
        return False
    marked = any(c in "!@#$%^&*+?=~}{" for c in value)
    before = _line_before(text, match, _BEFORE_PAIR)
    if re.search(_LOGIN, before):
        return (
            is_strong(value)
            or is_random(value)
            or (_is_beside(text, match) and "/" not in value and " / " not in before[:-3])
        )
    return marked and is_strong(value) and value.count("/") == 0


def _is_mail_pair(text: str, match: re.Match[str]) -> bool:
    value = _value(text, match)
    return (
        value.isascii()
        and not is_no_secret(value)
        and is_password(value, quoted=False)
        and not re.search(r"@[\w-]+\.", value)
    )


def _is_assigned(text: str, match: re.Match[str]) -> bool:
    """The value of a variable whose name says what it is; placeholders and other variables pass."""
    value, name = _value(text, match), text[match.start() : match.start("it")].rstrip(" \t=\"'`*")
    if "SECRET" in name and value.isdigit():
        return len(value) > SHORT and len(set(value)) > _FEW
    if is_no_secret(value) or _goes_on(text, match):
        return False
    if re.search(r"(?:PASS|PASSWD|PASSWORD|PASSPHRASE|PWD|PIN)\b", name):
        return True
    joined = any(c.isdigit() or c in "_-" for c in value) or len(value) >= _LONG
    return len(value) >= SHORT and not value.isdigit() and joined


def _is_token(text: str, match: re.Match[str]) -> bool:
    """A short value after ``token:``: letters and digits in one, no model, ticker or id."""
    value = _value(text, match)
    if is_no_secret(value) or _goes_on(text, match) or re.fullmatch(r"[A-Z]{2,8}-[0-9a-f]{6}", value):
        return False
    if not re.search(r"[A-Za-z]{3}", value) or re.search(r"20\d\d-\d\d", value):
        return False
    return sum(c.isdigit() for c in value) >= 2 and not re.fullmatch(r"[\d.,]+[a-zA-Z]{0,6}", value)  # noqa: PLR2004 - one digit is a version


def _is_named_after(text: str, match: re.Match[str]) -> bool:
    value = _value(text, match)
    return is_random(value, shortest=20) and max(map(len, re.split(r"[^A-Za-z0-9]", value))) >= _LONG


def _is_six_groups(text: str, match: re.Match[str]) -> bool:
    """Groups as WordPress draws them: most hold a digit or change case inside; a serial number's do not."""
    groups = text[match.start("it") : match.end("it")].split(" ")
    mixed = sum(bool(re.search(r"\d[A-Za-z]|[A-Za-z]\d|[a-z][A-Z]|[A-Z]{2}[a-z]", group)) for group in groups)
    return mixed >= 3 and any(c.islower() for c in "".join(groups))  # noqa: PLR2004 - half of six


def _is_sixteen(text: str, match: re.Match[str]) -> bool:
    """Sixteen letters that no word is made of, where an app password is told."""
    near = text[max(0, match.start("it") - 300) : match.start("it")].lower()
    drawn = re.search(r"[^aeiouy]{4}", text[match.start("it") : match.end("it")].lower())
    return bool(drawn) and bool(re.search(r"app[ -]?(?:specific[ -])?passwor", near))


def _is_code(text: str, match: re.Match[str]) -> bool:
    value = text[match.start("it") : match.end("it")]
    dated = re.match(r"20\d\d$|\d{4}-\d\d", value)
    return any(c.isdigit() for c in value) and not dated and not re.match(r"[A-Z]{2,6}-\d{1,3}$", value)


def _is_phrase(text: str, match: re.Match[str]) -> bool:
    return not is_no_secret(_value(text, match))


def _is_answer(text: str, match: re.Match[str]) -> bool:
    return not is_placeholder(_value(text, match)) and _value(text, match).lower() not in _COMMON


def _is_invite(text: str, match: re.Match[str]) -> bool:
    return not is_no_secret(text[match.start("it") : match.end("it")])


def _groups(passage: Passage) -> tuple[int, ...]:
    return passage.groups(4)


def _row(kind: str, message: str, anchors: tuple[str, ...], pattern: str, accept: Accept, *, catches: tuple[str, ...],  # noqa: PLR0913 - the columns of a table
         spares: tuple[str, ...], severity: Severity = Severity.BLOCK, folded: bool = True, after: int = 240, spots: Spots | None = None) -> Rule:  # fmt: skip
    return Rule(
        name=f"secret.{kind}", severity=severity, message=message, anchors=anchors, pattern=pattern, accept=accept,
        catches=catches, spares=spares, folded=folded, after=after, spots=spots,
    )  # fmt: skip


_SAMPLE = "q7Zr2Xw9Lm4T" + "c8Vh3Nb6Yj1P"

TOLD_RULES: tuple[Rule, ...] = (
    _row("password", "a word told as the password", _LABEL_ANCHORS,
         _LABEL + r"[*_`\"']{0,4}[ \t]{0,2}[:：=][*_`]{0,3}[ \t]{0,3}[*_`\"']{0,2}(?P<it>[^\s`\"'*|<>:/,;()\[\]·]{5,64})[*_`\"']{0,2}(?=[ \t]{0,3}(?:$|[|)·,;，；、。]|\.(?:\s|$))|[ \t]{1,3}\()", _is_plain,
         catches=("- The draft is up, pw: " + "KRAUT7 · read it by noon", "see the plan (password: " + "Sonnenblume)", "- Password: " + "NEBEL", "pw=" + "MOND42, ask Anna",
                  "App password: " + "bqzkhtwnvdrmxcgf (for the mail relay)"),
         spares=("Password: required, see above", "password: stored", "pw: ***", "password: YOUR_PASSWORD", "Password: REDACTED)", "password: none,", "tests pass: 120, fail: 2", "first pass: Transactions, then the rest",
                 "password: $DB_PASS)", "pw: TBD")),
    _row("password", "a value right behind the word password", _LABEL_ANCHORS,
         _LABEL + r"(?:[ \t]{0,2}[:：=][ \t]{0,3}|[ \t]{1,3}(?:(?:is|as|should be|must be|set to|reset to|changed to|ist|est|es|é)[ \t]{1,3})?|(?<=[\u3040-\ud7ff]))"
         r"[(（\"'`「『]?(?P<it>[^\s`\"'|<>,;()\[\]/:「」『』（），。、；]{5,64})", _is_beside,
         catches=("the archive opens with password " + "Nebelhorn4711", "the password should be " + "Kupfer2778$", "仓库密码" + "29m41x77", "--password " + "feldweg459 --admin"),
         spares=("password PBKDF2 rounds", "with password 1Password", "password auth is off", "password v2 flow", "password 2026-04-01", "a pass 120/120", "pass: 12 of 14")),
    _row("password", "a value in brackets behind a gate's name", _LABEL_ANCHORS,
         _LABEL + r"(?:[ -](?:gates?|gated|wall|protected|protection|page|prompt|screen|lock))[ \t]{1,2}\([`\"']?(?P<it>[a-z]{2,20}\d{1,8}[a-z0-9]{0,12}[!?]{0,2})[`\"']?\)", _is_phrase,
         catches=("since May a password wall (" + "MOOR3) stands before it",), spares=("password gate (docs)", "password page (v2)")),
    _row("password", "a strong value in a line about a password", _LABEL_ANCHORS,
         r"(?<![^\s`\"'(（:：=「『])(?P<it>[^\s`\"'|<>,;()\[\]/「」『』（），。；]{7,64})", _is_strong_near,
         catches=("lost the pw of the loft box, Bruno gave it " + "Tmkraut6031 for now", "пароль от лодки теперь другой, вот он: `" + "Wolke1939!`",
                  "password of the loft box, see drawer 2 (" + "R7rost4mond!?)"),
         spares=("password for OAuth2 on iPhone15", "password reset in commit 3f9ac1e5b8d2", "the password field of MacBook2 is empty")),
    _row("login", "a user with a password", (" / ",),
         r"(?<=[\w`*\"')}] / )[`\"']?(?P<it>[^\s`\"'|<>,;()\[\]]{6,64})", _is_pair,
         catches=("- SSH: root / " + "kq8moor?TD3W", "- 账号: admin / " + "Kupfer30417", "- shop: bt519 / " + "}4Hmoos!rw+k%+", "Login: `admin` / `" + "moos70263`",
                  "portal: anna@host.example.org / " + "M@moosgruen1", "我们的凭证：kahn_x4 / " + _SAMPLE),
         spares=("- SSH key / PAT", "root / `600`", "auth: OAuth2 / OIDC", "account: Claude / gpt-4o-mini", "login / logout2 / signup22", "read / write",
                 "users: 14 / 2026-03-04", "login page / docs/a1b2c3.md", "root / backups2026/day1")),
    _row("login", "a user and password given to a command", ("-u", "-c ", "--user", "--cred", "--auth", "--basic", "--login", "--proxy-user"),
         r"(?<![\w-])(?:-[uc]|--(?:user|userpass|proxy-user|credentials?|creds?|auth|basic-auth|login))(?:[ \t]{1,3}|=)[`\"']?\w[\w.@+-]{0,63}[:%](?P<it>[^\s`\"'|<>,;()\[\]]{6,120})", _is_given,
         catches=("ttyd -p 7681 -c lotse:" + "moos7026 bash", "curl -u 'lotse:" + "Blau" + "kraut7!' https://kai.example.org", "smbclient -U lotse%" + "moos7026", "kran --credential=lotse:" + "moos7026"),
         spares=("docker run -u 1000:100000", "docker run -u node:node20", "curl -u lotse:$KAI_PASS", "curl -u user:password", "git -c core.editor:vim", "date -u +%Y-%m-%dT%H:%M", "kran -c docs/a1.md:moos7026", "chown -c kai:hafen-leute")),
    _row("login", "a user with a password in brackets", ("admin/", "root/", "user/", "guest/"),
         r"[(（](?:admin|root|user|guest)/(?P<it>[^\s`\"'|<>,;()（）\[\]/]{6,64})[)）]", _is_given,
         catches=("kai terminal on 8082 (admin/" + "kai2031moos)",), spares=("the form (admin/index2.php)", "roles (admin/editor)", "pages (user/oauth2)", "(root/backups2026/day1)")),
    _row("login", "a login with its password", ("@",),
         r"[\w.+-]{1,64}@[\w-]{1,60}(?:\.[\w-]{1,20}){0,2}\.[a-z]{2,20}[`*]{0,3}[ \t]{0,2}(?:/|\||:|,|-|–)[ \t]{0,2}`?(?P<it>[^\s`\"'|<>,;()\[\]/]{6,64})(?![\w.-]{0,40}/)", _is_mail_pair,
         catches=("demo login: guest@example.org / Blau" + "kraut26!", "guest@example.org:Blau" + "kraut26"),
         spares=("anna@example.org - Tuesdays", "bot@example.org / 2026-03-04", "ops@example.org, +49-170-1234567", "git@host.example.org:Anna77/notes.git",
                 "anna@example.org | **急件**:2号", "kahn@2.3.1/0.7.5：好", "anna@example.org, bob7@example.org")),
    _row("assigned", "a value assigned to a variable for a secret", ("token", "secret", "passw", "_pass", "pwd", "passphrase", "api_key", "apikey", "_key", "_pin"),
         r"(?<![A-Z0-9_])(?:[A-Z][A-Z0-9_]{0,40}_)?(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|PIN|API_?KEY|SECRET_KEY|PRIVATE_KEY|ENCRYPTION_KEY|SIGNING_KEY|AUTH_KEY)"
         r"[`*]{0,3}[ \t]{0,2}=[ \t]{0,2}[`\"']{0,2}(?P<it>[^\s\"'`<>|;,&]{4,200})", _is_assigned, folded=False,
         catches=("`RELAY_TOKEN=" + "zinn_kupfer_moor_b` in both boxes", 'export GATE_TOKEN="' + 'moos-lampe-77"', "LOFT_SECRET=" + "718293645501", "DB_PASS=" + "sonnenblume"),
         spares=("RELAY_TOKEN=your_token_here", "API_KEY=key:secret", "MAX_TOKENS=4096", "X_TOKEN=change-me", "GATE_PASSWORD=***", "export API_KEY=$OTHER_KEY", "TOKEN=SHOP_ACCESS_TOKEN",
                 "SECRET_KEY=your-very-own-secret-key", "API_KEY=sk-...", "DB_PASSWORD=<pw>", "API_KEY=process.env.API_KEY", "USE_TOKEN=true", "AUTH_TOKEN=test-token", "API_KEY=ab12..." )),
    _row("token", "a value in code marks behind the word secret", ("secret",),
         r"(?<![\w-])secret(?:[ _-](?:fallback|default|value|auth|key)){0,2}[ \t]{1,2}(?:is |was |= ?|: ?)?`(?P<it>[a-z0-9_-]{8,80})`", _is_token,
         catches=("without one it takes secret default `moor-laterne-" + "kupfer-81`",), spares=("secret `SHOP_ACCESS_TOKEN`", "secret scanning `pre-commit`", "secret `v2-2024-05-01`")),
    _row("token", "a value after the word token", ("token",),
         r"(?<![\w-])(?:(?:api|auth|gateway|access|bearer|bot|dashboard|relay|login|device|hook|webhook|admin)[ _-])?token(?:[ _-](?:auth|value|is))?[*_`\"']{0,4}[ \t]{0,2}(?:[:：=]|\bis\b)[*_ \t]{0,4}[`\"']?(?P<it>[a-z0-9_-]{8,80})[`\"']?(?=[ \t]{0,3}(?:$|[|),;·&，。]|\.\s)|[ \t]{1,3}\()", _is_token,
         catches=("- Gateway token is `moos-kanzel-" + "63x91`", "- **Token:** `moor-zinn-" + "40718`", "the lamp, token: hk" + "w7204bqmzd"),
         spares=("token: 200k", "Token: MOOR-3b91c7", "token: gpt-4o-mini-2024", "Token: SHOP_ACCESS_TOKEN", "token: creating", "Token: ab12_ef34...", "token: expires-2026-05-01", "max token: 8192tokens")),
    _row("named_after", "a random value with its name behind it", ("key", "token", "secret"),
         r"(?<![a-z0-9_/.=+#-])(?P<it>[a-z0-9_-]{20,120})[`\"')]{0,2}[ \t]{1,2}(?:api[ -]?)?(?:key|token|secret)(?![a-z])", _is_named_after,
         catches=("the map works (small plan, " + _SAMPLE + " key)",), spares=("a-very-long-name-of-2-branches key", "commit 3f9a key")),
    _row("pin", "a PIN", ("pin:", "pins:", "pin=", "pin =", "pin is", "pin code", "pins set", "pin：", "pin (", "pin`", "pin**"),
         r"(?<![\w-])pins?(?:[ -]codes?)?(?:[ \t](?:set|are|is|to|now)){0,2}[*_`]{0,3}[ \t]{0,2}[:：=(]?[ \t]{0,2}[*_`]{0,3}(?P<it>(?:[\w-]{1,24}[ \t]?[=:][ \t]?)?\d{4,8}(?:[ \t]?[,;][ \t]?[\w-]{1,24}[ \t]?[=:][ \t]?\d{4,8}){0,20})(?![\w%])", _is_digits,
         catches=("- door PINs: anna=" + "602815, bruno=" + "317940", "PIN: " + "4711", "door PIN is `" + "240815`", "PIN code " + "7302"),
         spares=("pin: 3.11.4", "GPIO pin: 15", "pin (8 of them)", "pinned: 2026", "pin: 2026-03-04")),
    _row("app_password", "six groups of random characters, as application passwords are", (),
         r"(?<![\w-])(?P<it>[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5})(?![\w-])", _is_six_groups, folded=False, spots=_groups,
         catches=("tried `kqBW 7Ntz mRHL " + "Pcw5 h2dV GJsx` in vain",), spares=("with many more than four here", "2026 2027 2028 2029 2030 2031", "ABCD EFGH 1234 5678 IJKL MNOP")),
    _row("app_password", "sixteen letters where an app password is told", ("app passwor", "app-passwor", "app-specific passwor"),
         r"(?<![\w/.-])(?P<it>[a-z]{16,17})(?![\w/.-])", _is_sixteen, after=400, folded=False,
         catches=("**Two app passwords**\n- old one: `bqzkhtwnvdrmxcgff`\n- new one: `bqzkhtwnvdrmxcgf`",), spares=("app password for the straightforwardness test",)),
    _row("phrase", "a word that someone must say", ("challenge for", "codeword", "code word", "safe word", "safeword", "secret word", "codewort", "合言葉", "暗号"),
         r"(?:challenge for|code ?word|safe ?word|secret word|codewort|合言葉|暗号)(?:[ \t](?:is|for|on|ist))?[ \t]{0,2}[:：=は]?[ \t]{0,2}[`\"'「『](?P<it>[^`\"'「」『』\n]{4,40})[`\"'」』]", _is_phrase,
         catches=("ask for the code word '" + "moorhuhn' before paying", 'safe word: "' + 'kupferkessel"'), spares=("challenge for the team", "secret word list")),
    _row("answer", "the answer to a security question", ("question", "認証", "秘密の質問", "本人確認", "合言葉", "密保", "安全问题", "安全問題", "sicherheitsfrage", "pregunta de", "pergunta de", "контрольный"),
         r"(?:" + _QUESTION + r")[^\0]{0,200}?(?<![\w])(?:answer|答え|答案|antwort|respuesta|réponse|resposta|ответ)[*_` \t]{0,4}[:：=][*_` \t]{0,4}(?P<it>[^\n]{1,80})", _is_answer, after=360,
         catches=("Security question: first pet?\n  - Answer: " + "Mori the cat", "本人確認\n- 質問：「好きな山は？」\n- 答え：" + "もりやま"), spares=("a question and its answer: see the manual", "security question is not set")),
    _row("code", "a code that opens something once", ("code", "otp", "código", "код ", "验证码", "驗證碼", "配对码", "配對碼", "コード", "인증번호"),
         r"(?:" + _ONCE + r")[*_`]{0,3}(?:[ \t](?:is|was|ist|es))?[ \t]{0,2}[:：=]?[ \t]{0,2}[(\"'`*]{0,3}(?P<it>\d{3}[ -]?\d{3}|\d{4,8}|(?=[a-z0-9-]{0,9}\d)[a-z0-9]{4}-[a-z0-9]{4}|(?=[a-z0-9]{0,9}\d)[a-z0-9]{6,10})(?![\w-])", _is_code,
         catches=("- Pairing code: " + "H3KWN6T5", "copy your one-time code: " + "QWMZ-4T82", "验证码：" + "482913", "the OTP is `" + "771204`"),
         spares=("verification code is sent by mail", "device code flow", "login code 2026-03-04", "exit code 127", "verification code: ERR-12", "OTP 22 runs")),
    _row("login_link", "a link that logs in whoever opens it", ("magic", "login?", "signin?", "/q/", "qrcode", "ticket=", "magic-link", "magiclink", "otp="),
         r"(?:magic-?link|login|signin|qrcode|/q/|otp)[^\s`\"'<>|?]{0,60}\?(?:[^\s`\"'<>|#=]{1,30}=[^\s`\"'<>|#&]{0,60}&){0,4}[a-z_]{1,24}=(?P<it>[a-z0-9_-]{24,200})", lambda text, match: is_random(_value(text, match), shortest=24),
         catches=("open https://box.example.org/login?ticket=" + _SAMPLE + "x9",), spares=("https://box.example.org/login?next=/settings/profile",)),
    _row("invite", "an invitation, which lets in whoever has it", ("chat.whatsapp.com/", "t.me/+", "t.me/joinchat/", "shared_invite/", "signal.group/#"),
         r"(?:chat\.whatsapp\.com/|t\.me/\+|t\.me/joinchat/|/shared_invite/|signal\.group/#)(?P<it>[a-z0-9_~+/=-]{12,120})", _is_invite, severity=Severity.FLAG,
         catches=("link: https://chat.whatsapp.com/" + "KTRmoos5kupfer3WN28hzq",), spares=("https://chat.whatsapp.com/<code>", "https://t.me/moor_bot")),
)  # fmt: skip
"""Ordered from exact to wide, after the rows of ``secret_words``."""
