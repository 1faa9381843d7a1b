"""What agent hosts and chat gateways put into a conversation, and so into daily logs: nobody's word, and no lesson.

Invariant: rows of data, each a pattern of how such a line begins, by host and what it is for; read without case.
Seen in OpenClaw 2026.2 to 2026.9 (``memory-core`` flush plan, heartbeat, ``session-memory``), Hermes Agent 0.19 and
logs of others.
"""

import re

_SPOKEN = r"(?:(?:user|assistant|system):\s*)?"
_CLOCK = r"(?:[\W\d_]{0,24}\d:\d\d[\W\d_]{0,12})?"

NOTICES: tuple[str, ...] = (
    # OpenClaw, before it compacts a session, and after
    r"pre-compaction memory flush(?: turn\b|[.:] ?(?:store|capture|the session))",
    r"(?:the )?session (?:is )?near(?:ing)? (?:auto-)?compaction[;.,] ?(?:capture|store)",
    r"store durable memories (?:now|only in) ",
    r"treat workspace bootstrap/reference files such as|if memory/\S+ already exists, append new content",
    r"do not create timestamped variant files|if nothing (?:to store|needs attention), reply",
    r"(?:no_reply|heartbeat_ok)\W*$|session was just compacted|\[?post-compaction context",
    # OpenClaw, heartbeats, starts and scheduled work
    r"read heartbeat\.md if|when reading heartbeat\.md|follow the heartbeat monitor scratch",
    r"\[?startup context|a new session was started via|execute your session startup sequence|\[bootstrap pending\]",
    r"a scheduled reminder has been triggered|an async command you ran earlier has",
    r"\[cron:|\[system message\]|\[subagent (?:context|task)\]|\[queued messages while|\[inter-session message\]",
    r"exec (?:completed|finished|failed) \(\S+, (?:code|signal)|current time:",
    r"\[media attached\b|to send an image back, prefer the message tool|agent failed before reply",
    # Hermes Agent, notes to its model
    r"\[system(?: note)?: |\[(?:end of )?prior context\b|\[context compaction\b|\[cron delivery: ",
    r"\[important: (?:you are running as|background process|the user has invoked)|\[note: model was just switched",
)
NOTICE = re.compile(
    rf"{_CLOCK}{_SPOKEN}system(?: \(untrusted\))?:"
    rf"|[\W\d_]{{0,40}}{_SPOKEN}\W{{0,8}}(?:{'|'.join(NOTICES)})"
    r"|(?:\w+:\s*)?<(?:antml:)?(?:call|function_calls?|tool_(?:calls?|use|result)|invoke)\b",
    re.IGNORECASE,
)
"""Matches at the beginning of a line that a host wrote."""
