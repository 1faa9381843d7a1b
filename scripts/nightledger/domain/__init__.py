"""Values, rules and errors; pure: no files, clock, randomness or network."""
