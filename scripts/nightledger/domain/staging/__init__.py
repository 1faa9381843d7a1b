"""What is staged for an agent's next session: pure rules."""
