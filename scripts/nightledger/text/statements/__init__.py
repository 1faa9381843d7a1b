"""From a daily log to statements that its owner would be glad to find in memory."""
