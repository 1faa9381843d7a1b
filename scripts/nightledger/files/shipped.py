"""Defaults that come with the program: what stands under ``config/`` beside the code."""

from pathlib import Path

SHIPPED = Path(__file__).resolve().parents[3] / "config"


def shipped_config(name: str) -> bytes:
    """Give the bytes of a shipped default."""
    return (SHIPPED / name).read_bytes()
