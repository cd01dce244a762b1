"""Conservation laws of a run: of time, bytes and requests."""
