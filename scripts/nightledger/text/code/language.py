"""Which language a snippet is in: by its fence's info string, its file's ending, or its shape.

Invariant: what is not Python is never called clean; when in doubt it is "unknown", which is
unaudited, too.
"""

import ast
import re
import textwrap

from nightledger.text.code.source import parse

_PYTHON = frozenset(
    {
        "python",
        "python2",
        "python3",
        "py",
        "py2",
        "py3",
        "pycon",
        "ipython",
        "ipython3",
        "jupyter",
        "doctest",
        "pyi",
        "code-cell",
        "python-repl",
        "sage",
        "pytb",
    }
)
_RUNNABLE = {
    "sh": "shell", "bash": "shell", "zsh": "shell", "fish": "shell", "ksh": "shell", "dash": "shell", "shell": "shell", "console": "shell", "shell-session": "shell", "shellsession": "shell", "terminal": "shell", "bat": "batch", "cmd": "batch", "batch": "batch",
    "dosbatch": "batch", "powershell": "powershell", "ps1": "powershell", "pwsh": "powershell", "js": "javascript", "javascript": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript", "node": "javascript", "ts": "typescript", "tsx": "typescript",
    "typescript": "typescript", "rb": "ruby", "ruby": "ruby", "pl": "perl", "perl": "perl", "php": "php", "lua": "lua", "go": "go", "golang": "go", "rust": "rust", "rs": "rust", "c": "c", "h": "c", "cpp": "c++", "c++": "c++", "cc": "c++", "java": "java", "kotlin": "kotlin", "kt": "kotlin",
    "swift": "swift", "scala": "scala", "r": "r", "julia": "julia", "sql": "sql", "applescript": "applescript", "osascript": "applescript", "awk": "awk", "sed": "sed", "make": "make", "makefile": "make", "dockerfile": "dockerfile", "docker": "dockerfile", "groovy": "groovy", "vim": "vim",
    "elisp": "lisp", "lisp": "lisp", "clojure": "clojure", "haskell": "haskell", "nix": "nix", "asm": "assembly", "cs": "c#", "csharp": "c#", "dart": "dart", "elixir": "elixir", "erlang": "erlang", "tcl": "tcl", "vb": "visual basic", "vbs": "visual basic", "html": "html", "svg": "html", "crontab": "shell", "cron": "shell",
}  # fmt: skip
_SHEBANG = re.compile(r"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?([a-z]+)[\d.]*(?:\s|$)")
_WORDS = (
    "sudo|doas|rm|ls|cd|cp|mv|cat|echo|export|curl|wget|git|npm|npx|yarn|pnpm|pip3?|pipx|uv|apt|apt-get|brew|dnf|yum|pacman|apk|docker|podman|kubectl|helm|systemctl|service|journalctl|ssh|scp|rsync|chmod|chown|kill|pkill|killall|make|cmake|cargo|go|node|deno|bun|python3?|perl|ruby|bash|sh|zsh|source|mkdir|rmdir|touch|"
    "ln|tar|unzip|zip|gzip|grep|rg|find|xargs|sed|awk|head|tail|tee|wc|sort|crontab|launchctl|defaults|osascript|openssl|gpg|nc|ncat|ping|dig|nohup|screen|tmux|dd|mkfs|mount|umount|reboot|shutdown|poweroff|halt|history|env|printenv|set|unset|alias|trap|eval|exec|test|true|false|sleep|watch|time|whoami|id|pwd|date|ps|top|df|du|nightledger|aws|gcloud|az|terraform|ansible|psql|mysql|sqlite3|redis-cli|ollama|openclaw|claude"
)
_SHELL_LINE = re.compile(
    rf"\s*(?:[$#%>]\s+)?(?:[A-Z_][A-Z0-9_]*=\S*\s+)*(?:\S*/)?(?:{_WORDS})(?:\s+(?![=.(\[]|in\b|is\b|and\b|or\b|not\b|if\b)\S.*|\s*(?:[|&;<>].*)?)$|\s*(?:[$])\s+\S|\s*(?:if \[|for \w+ in .*; *do|while .*; *do|case .* in$|fi$|done$|esac$|then$|\w+\(\) *\{{|set -[a-z]|\./\S+|~/\S+)|.*\|\s*(?:sh|bash|zsh|sudo|tee|xargs)\b"
)
_JAVASCRIPT = re.compile(
    r"^[^\S\n]*(?:(?:export\s+)?(?:default\s+)?(?:const|let|var)\s+[\w{\[$]|(?:export\s+)?(?:async\s+)?function\s*\*?\s*\w*\s*\(|import\s+.*\sfrom\s+['\"]|import\s+['\"]|export\s+(?:default|const|function|class|\{)|module\.exports|\}\s*else\s*\{|\}\)?;?\s*$|//\s)|=>\s*[\w{(\[]|\brequire\s*\(\s*['\"]|\bconsole\.(?:log|error)\s*\(|\bdocument\.|\bwindow\.|\bprocess\.(?:env|exit|argv)\b|\bnew (?:Function|XMLHttpRequest|WebSocket|Promise)\b|\bchild_process\b|\beval\(atob\(|===|\bglobalThis\b|\bDeno\.|\bBun\.",
    re.MULTILINE,
)
_OTHERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("php", re.compile(r"<\?php")),
    ("html", re.compile(r"<(?:script|html|body|iframe|!DOCTYPE)\b", re.IGNORECASE)),
    ("dockerfile", re.compile(r"^FROM [\w./:@-]+(?: AS \w+)?$", re.MULTILINE)),
    (
        "sql",
        re.compile(
            r"^[^\S\n]*(?:SELECT\b.+\bFROM\b|INSERT INTO|UPDATE \w+ SET|DELETE FROM|DROP (?:TABLE|DATABASE)|CREATE (?:TABLE|INDEX|VIEW)|ALTER TABLE|TRUNCATE)\b",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
    (
        "powershell",
        re.compile(
            r"\b(?:Get|Set|Remove|Invoke|New|Start|Stop|Add|Import|Write)-[A-Z]\w+|\$env:\w|\$PSVersionTable",
            re.MULTILINE,
        ),
    ),
    ("rust", re.compile(r"\bfn \w+\s*(?:<.*>)?\(.*\)\s*(?:->.*)?\{|\blet mut\b|\bimpl\b.*\{|\bprintln!\(")),
    ("go", re.compile(r"^package \w+$|\bfunc (?:\(.*\) )?\w+\(.*\).*\{|:= ", re.MULTILINE)),
    ("java", re.compile(r"\bpublic (?:static |final )*(?:class|void|int|String)\b|\bSystem\.out\.")),
    ("c", re.compile(r"^[^\S\n]*#\s*include\s*[<\"]|\bint main\s*\(", re.MULTILINE)),
    ("perl", re.compile(r"^[^\S\n]*use strict;|^[^\S\n]*my [$@%]\w|\$\w+\s*=~", re.MULTILINE)),
    (
        "lua",
        re.compile(
            r"\blocal function\b|\blocal \w+ =|\bos\.execute\(|^[^\S\n]*function [\w.:]*\([\w, .]+\)\s*$",
            re.MULTILINE,
        ),
    ),
    (
        "ruby",
        re.compile(
            r"^[^\S\n]*(?:require ['\"]|puts |def \w+[^:]*$|end$|\w+\.each do)|\bdo \|\w+\|", re.MULTILINE
        ),
    ),
)
_PYTHON_LINE = re.compile(
    r"^[^\S\n]*(?:>>> |In \[\d*\]: |(?:import|from) [\w.]+|def \w+\s*\(|async def |class \w+\s*[(:]|@\w[\w.]*|elif .*:$|except\b.*:$|with .*:$|print\b|exec\s|%%?\w|!\w|if __name__|.*\.__[a-z]+__\b|\w+ = !)",
    re.MULTILINE,
)
_NO_PYTHON = re.compile(
    r"^[ \t]*local (?:function )?[A-Za-z_][\w, ]*(?:=(?!=)|\()|^[ \t]*my [$@%]\w+ *[=;]", re.MULTILINE
)
"""A line that is none of any Python, whatever stands beside it: a local name of Lua, of Perl."""
_OPENED = re.compile(
    r"^[ \t]*(?:def|class|module|if|unless|while|until|for|begin|case|function)\b|\bdo\b(?:\s*\|.*\|)?\s*$",
    re.MULTILINE,
)
_END = re.compile(r"^[ \t]*end[ \t]*;?$", re.MULTILINE)
_BLOCK = re.compile(r":[ \t]*(?:#.*)?$", re.MULTILINE)
_BRACED = ("php", "rust", "go", "java", "c")
"""Languages that close with a brace, as JavaScript does, and are told from it by other signs."""
HEAD = 20_000
"""Characters by which a language is told."""
_CODING_LINE = re.compile(r"#.*?coding[:=]")
_LINES = 40
"""Lines among which one of a shell makes a text one."""
_SURE_SIGNS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef)
_SIGNS = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.With, ast.AsyncWith, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Call, ast.JoinedStr, ast.If, ast.Raise, ast.Assert, ast.Await, ast.NamedExpr, ast.Delete, ast.Return,
)  # fmt: skip


def language_of_info(info: str) -> str:
    """Give the language that a fence's info string or a file's ending names; "" for data and the unknown."""
    words = re.split(r"[\s,;:{}.()\[\]=]+", info.strip().lower().lstrip("{.~` "))
    word = next((w for w in words if w), "")
    return "python" if word in _PYTHON else _RUNNABLE.get(word, "")


def guess_language(text: str) -> str:
    """Give the language of a text by its shape: ``python``, another one, or ``unknown``."""
    if (shebang := _SHEBANG.match(text.lstrip())) is not None:
        return language_of_info(shebang[1]) or "unknown"
    text = textwrap.dedent(text.removeprefix("\ufeff"))
    tree, problem = parse(text)
    head = text[:HEAD]
    if tree is not None and (not text.strip() or _holds(tree, _SURE_SIGNS)):
        return "python"
    if _JAVASCRIPT.search(head) and not _PYTHON_LINE.search(head):
        return next((name for name, sign in _OTHERS if name in _BRACED and sign.search(head)), "javascript")
    if tree is not None and _holds(tree, _SIGNS):
        return "javascript" if _is_javascript(tree) else "python"
    return ("python" if _CODING_LINE.match(text) else _by_lines(head)) or (
        "python" if problem.rule == "code.too_deep" else "unknown"
    )


def _by_lines(head: str) -> str:
    """Give the language that lines of a text look like, though it is no Python that parses; "" for none."""
    lines = [line for line in head.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if (
        not _has_ends(head)
        and not _NO_PYTHON.search(head)
        and _PYTHON_LINE.search(head)
        and not (lines and _SHELL_LINE.match(lines[0]))
    ):
        return "python"
    other = next((name for name, pattern in _OTHERS if pattern.search(head)), "")
    return other or ("shell" if any(_SHELL_LINE.match(line) for line in lines[:_LINES]) else "")


def _has_ends(head: str) -> bool:
    """Tell whether blocks close with a word, as those of Ruby and Lua, and none opens with a colon."""
    return _END.search(head) is not None and _OPENED.search(head) is not None and _BLOCK.search(head) is None


def _holds(tree: ast.Module, kinds: tuple[type[ast.AST], ...]) -> bool:
    return any(isinstance(node, kinds) for node in ast.walk(tree))


def _is_javascript(tree: ast.Module) -> bool:
    """Tell whether calls go to what only a browser or Node has, in a text that Python can parse, too."""
    own = {
        "fetch",
        "require",
        "alert",
        "atob",
        "btoa",
        "document",
        "window",
        "console",
        "localStorage",
        "globalThis",
        "Deno",
        "Bun",
        "XMLHttpRequest",
        "setTimeout",
        "process",
    }
    bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return bool((read - bound) & own)
