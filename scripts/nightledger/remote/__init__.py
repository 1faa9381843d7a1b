"""Messages between machines: taken in, sent, over HTTP and over a shared directory."""
