"""What a home knows, found again: which files are searched, the index, the query, what is withheld."""
