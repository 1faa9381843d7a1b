"""Propose, review, decide, apply, undo: the only way to change a gated file.

- A home and its log: ``opening``, ``founding``, ``restoring``, ``gated`` (its files), ``stored`` (proposals and decisions).
- Proposing: ``proposing``, ``agent_lane``, ``screening``, ``drafting``, ``views``.
- Reviewing and deciding: ``reviewing``, ``editing``, ``contradicting``, ``deciding``, ``consenting``.
- Applying and undoing: ``applying``, ``placing``, ``writing``, ``undoing``; ``applies`` compares them with what was signed.
- What was changed outside: ``guarding``, ``drifting``.
- Letting go: ``removals``, ``keeping``, ``forgotten``, ``expunging``.
- Entries, and what is shown of them: ``naming``, ``remembering``, ``recalling``, ``kept_page``.
- Trust: ``trusting``, ``trust_changes``, ``checking``.
"""
