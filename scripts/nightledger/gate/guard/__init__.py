"""What was changed outside Nightledger: found, kept, offered, settled; and locks against it."""
