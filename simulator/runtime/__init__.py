"""Between a program and its file: records and arrays become file operations."""
