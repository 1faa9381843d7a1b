"""The memory check-up: which items of an existing memory file its owner might want out."""
