"""What agent hosts call at their own events: at a session's start, at a prompt, before a tool writes."""
