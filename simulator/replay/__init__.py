"""A trace of calls as a job: replayed on a machine, and advice on it."""
