"""What a home knows of each memory: its name, marks, uses, and what is recalled of it."""
