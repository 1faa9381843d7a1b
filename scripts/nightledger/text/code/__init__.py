"""The code auditor: snippets judged by their syntax tree; nothing is run, nothing is loaded before it is needed."""
