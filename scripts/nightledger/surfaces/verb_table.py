"""Every verb: its module, what it does in one line, and where help shows it.

Plain tuples, because each command imports this at start.
"""

VERBS = {
    "init": ("init", "make a home, or adopt an agent's workspace as one"),
    "check": ("check", "check up an existing MEMORY.md and propose what to clean"),
    "night": ("night", "run the jobs that are due"),
    "review": ("review", "read what is proposed, answer, sign once"),
    "undo": ("undo", "take an applied change back"),
    "status": ("status", "what waits, what ran, what needs you"),
    "doctor": ("doctor", "what is set up, what is not, what it does not prove"),
    "log": ("log", "append outcomes: what succeeded and what failed"),
    "propose": ("propose", "an agent proposes a change and gets an id"),
    "link": ("link", "associate tags with the resolutions that worked"),
    "consolidate": ("consolidate", "distil the day's logs into proposals"),
    "recall": ("recall", "what worked for these tags"),
    "proposals": ("proposals", "list proposals and their states"),
    "show": ("show", "show one proposal with its diff and evidence"),
    "approve": ("approve", "approve one proposal without the review screen"),
    "reject": ("reject", "reject one proposal, with a reason"),
    "apply": ("apply", "apply what is signed and has cooled"),
    "edit": ("edit", "change a gated file yourself: editor, diff, signature"),
    "history": ("history", "what changed a gated file, when and why"),
    "verify": ("verify", "check the audit log, its signatures and the gated files"),
    "guard": ("guard", "look whether a gated file was changed outside the gate"),
    "key": ("key", "who may sign: list, add, rotate, revoke, recovery, reset"),
    "prove": ("prove", "prove to others that an entry is in the log; export the log"),
    "check-proof": ("check_proof", "check such a proof; needs no home"),
    "consistency": ("consistency", "prove or check that one head of the log continues another"),
    "witness": ("witness", "cosign the logs of other machines, or have this one's cosigned"),
    "rebuild": ("rebuild", "fold derived files again from what they derive from"),
    "channel": ("channel", "messages between machines, signed"),
    "schedule": ("schedule", "print the lines for cron, systemd or launchd"),
    "backup": ("backup", "copy a home's records to one file"),
    "restore": ("restore", "make a home from a backup"),
    "leave": ("leave", "stop using Nightledger and keep your files"),
}
FIRST_SCREEN = ("init", "check", "night", "review", "undo", "status", "doctor")
GROUPS = {
    "Start": ("init", "check", "doctor", "schedule"),
    "Agent": ("log", "propose", "recall"),
    "Night": ("night", "link", "consolidate"),
    "Review": ("review", "proposals", "show", "approve", "reject", "apply", "undo", "edit", "history"),
    "Trust": ("verify", "guard", "key", "prove", "check-proof", "consistency", "rebuild", "status"),
    "Machines": ("channel", "witness"),
    "Keep": ("backup", "restore", "leave"),
}
