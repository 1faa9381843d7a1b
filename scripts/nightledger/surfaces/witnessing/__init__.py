"""Witnesses: asked by a home, answered by another machine, over HTTP and over a shared directory."""
