"""Packages of others whose branches also guide the search; asked before anything is imported."""

PACKAGES: dict[str, tuple[str, ...]] = {"yaml": ("yaml",), "rule-files": ("tomllib",)}
