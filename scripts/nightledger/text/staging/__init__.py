"""Texts that staging reads: calendars and handoffs."""
