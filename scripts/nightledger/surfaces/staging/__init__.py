"""Staging at the command line: calendars read and asked, what was staged said."""
