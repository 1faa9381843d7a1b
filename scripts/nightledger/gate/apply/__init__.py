"""Write what was signed: planned, written together, finished or taken back after a crash, undone."""
