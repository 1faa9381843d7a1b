"""What recall and explain print."""
