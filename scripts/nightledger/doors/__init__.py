"""Doors beside the command line: each thin over the same verbs, none of them signs by itself."""
