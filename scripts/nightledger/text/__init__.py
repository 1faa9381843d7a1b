"""Prose and Markdown: lossless edits, statements, near-duplicates, scanners; pure."""
