"""Messages between machines, and witnesses: over HTTP and over a shared directory."""
