"""Traces: what programs asked of their operating systems, read from logs and kept as tables."""
