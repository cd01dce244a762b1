"""Runtime libraries: records and arrays become file operations."""
