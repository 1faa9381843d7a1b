"""What ``doctor`` looks at, the keys and the home; nothing is written."""
