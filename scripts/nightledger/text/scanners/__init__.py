"""Scanners: one table of rules, and the code that runs them over a text; none decides alone."""
