"""Values to and from JSON, JSONL and YAML, checked by ``schemas/``."""
