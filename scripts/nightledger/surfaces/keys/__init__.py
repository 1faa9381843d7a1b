"""What ``key`` does, and how a change of trust files is signed."""
