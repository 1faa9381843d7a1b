"""Transcripts of sessions: where hosts keep them, and what stands in a line; formats are rows of ``config/transcripts.json``."""
