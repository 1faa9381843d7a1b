"""Records: what sessions leave behind, one append-only file a kind; a kind is a row of ``config/records.json``.

``keeping.py`` checks, appends and folds; ``handoff.py`` is what one session hands to the next, with its readable view;
``drawing.py`` makes episodes and ideas, and finds what a session should hear when it begins.
"""
