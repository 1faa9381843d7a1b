"""What an operator is shown, and what becomes of the answers."""
