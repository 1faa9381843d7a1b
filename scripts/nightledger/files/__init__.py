"""Every path, and the one place that touches files: replace, append, lock, blobs."""
