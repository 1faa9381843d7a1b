"""Defaults that come with the program: what stands under ``config/`` beside the code."""

import os

SHIPPED = os.path.abspath(f"{os.path.dirname(__file__)}/../../../config")


def shipped_config(name: str) -> bytes:
    """Give the bytes of a shipped default."""
    with open(os.path.join(SHIPPED, name), "rb") as file:
        return file.read()
