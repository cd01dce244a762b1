"""Calls of a job drawn from the counters of its Darshan log."""
