"""What ``doctor`` looks at, one module a matter; nothing is written."""
