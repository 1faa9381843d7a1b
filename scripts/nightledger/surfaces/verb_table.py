"""Every verb, in the order in which help shows them: its group, and what it does in one line.

A verb's module has its name. Plain tuples, because each command imports this at start.
"""

VERBS = {
    "start": ("Start", "set up an agent's home, step by step; goes on where it was left"),
    "init": ("Start", "make a home, or adopt an agent's workspace as one"),
    "check": ("Start", "check up an existing MEMORY.md and propose what to clean"),
    "doctor": ("Start", "what is set up, what is not, what it does not prove"),
    "schedule": ("Start", "print the lines for cron, systemd or launchd"),
    "log": ("Agent", "append outcomes: what succeeded and what failed"),
    "propose": ("Agent", "an agent proposes a change and gets an id"),
    "recall": ("Agent", "find what the home knows: by words, tags, or frame of mind"),
    "hosts": ("Agent", "which agent hosts are here; put hooks into one, take them out"),
    "night": ("Night", "run the jobs that are due"),
    "link": ("Night", "associate tags with the resolutions that worked"),
    "consolidate": ("Night", "distil the day's logs into proposals"),
    "curate": ("Night", "reinforce what proved useful, let go of what faded (--ask: now)"),
    "prune": ("Night", "propose to let go of weak links, closed entries, old daily logs"),
    "stage": ("Night", "put together what the agent will need, before it asks"),
    "review": ("Review", "read what is proposed, answer, sign once"),
    "proposals": ("Review", "list proposals and their states"),
    "show": ("Review", "show one proposal with its diff and evidence"),
    "approve": ("Review", "approve one proposal without the review screen"),
    "reject": ("Review", "reject one proposal, with a reason"),
    "apply": ("Review", "apply what is signed and has cooled"),
    "undo": ("Review", "take an applied change back"),
    "edit": ("Review", "change a gated file yourself: editor, diff, signature"),
    "history": ("Review", "what changed a gated file, when and why"),
    "verify": ("Trust", "check the audit log, its signatures and the gated files"),
    "guard": ("Trust", "look whether a gated file was changed outside Nightledger"),
    "lock": ("Trust", "have the system lock gated and protected files, or unlock (root)"),
    "key": ("Trust", "who may sign: list, add, rotate, revoke, recovery, reset"),
    "consent": ("Trust", "what an agent may do, and its principles; sign them anew"),
    "expunge": ("Trust", "remove a leaked text from every file of ours, for ever"),
    "prove": ("Trust", "prove to others what is in the log; check such a proof"),
    "rebuild": ("Trust", "fold derived files again from what they derive from"),
    "status": ("Trust", "what waits, what ran, what needs you"),
    "forget": ("Forgetting", "take one entry out for good; it is not learned again"),
    "pin": ("Forgetting", "entries that stay, or fade slower; --off ends that; lists them"),
    "channel": ("Machines", "messages between machines, signed"),
    "witness": ("Machines", "cosign the logs of other machines, or have this one's cosigned"),
    "backup": ("Keep", "copy a home's records to one file"),
    "restore": ("Keep", "make a home from a backup"),
    "leave": ("Keep", "stop using Nightledger and keep your files"),
}
PARTS = {
    "hook": ("hosts", "event"),
    "hygiene": ("curate", "--ask"),
    "audit-code": ("check", "--code"),
    "constitution": ("consent", "constitution"),
    "check-proof": ("prove", "--check"),
    "consistency": ("prove", "--from"),
}
"""Verbs that are a part of another one: the word of it that calls them. Each can be called by its own name, too."""
ALIASES = {"explain": ("recall", "--explain"), "unlock": ("lock", "--off"), "unpin": ("pin", "--off")}
"""Other names of a verb with an option."""
FIRST_SCREEN = ("start", "init", "check", "night", "review", "undo", "status", "doctor")
