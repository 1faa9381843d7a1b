"""Text as search sees it: chunks with line numbers, and tokens of any script."""
