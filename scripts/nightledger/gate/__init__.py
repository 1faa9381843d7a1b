"""Propose, review, decide, apply, undo: the only way to change a gated file."""
