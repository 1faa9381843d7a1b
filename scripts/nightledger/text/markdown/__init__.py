"""Markdown without loss: documents as lines, blocks, sections and entries."""
