"""Letting go: archives, compressed logs, deleted links, forgotten and expunged text."""
