"""What the log says against what lies on disk: trust files, inputs, witnesses."""
