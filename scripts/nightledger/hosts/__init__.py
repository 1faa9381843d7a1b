"""Where each agent host keeps its memory, and what its caps are."""
