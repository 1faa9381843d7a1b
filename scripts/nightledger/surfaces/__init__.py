"""What people and hosts touch: command line, review screen, report."""
