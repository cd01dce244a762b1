"""The native engine of collective reads and writes of arrays."""
