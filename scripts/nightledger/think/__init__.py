"""The analyst: a model chooses lines and places, code writes.

What a model says is a list of operations on candidates that it was shown, with verbatim quotes. ``contract.py`` judges each
against the lines themselves; ``analyst.py`` asks, within a budget, and keeps what was answered, so that a run can be gone
through again without the model. ``drafting.py`` asks about a day's notes, ``checkup.py`` about the memory itself.
"""
