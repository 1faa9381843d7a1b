"""Keys, signatures and the Merkle log; the only code that sees a private key."""
