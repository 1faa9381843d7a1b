"""A simulated home and a walk through it: what `make demo` shows. Nothing imports it."""
