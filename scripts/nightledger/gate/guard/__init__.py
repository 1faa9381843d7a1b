"""What was changed outside the gate: found, kept, offered, settled; and locks against it."""
