"""What attacks on the gate start with: the small home of its own tests."""

from tests.gate.conftest import desk, template

__all__ = ["desk", "template"]
