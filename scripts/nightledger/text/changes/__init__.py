"""How a text changes: places of hunks, diffs, merges, and taking one change back."""
