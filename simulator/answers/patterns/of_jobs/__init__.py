"""Patterns of a job: what its phases, its files and the account of its run show."""
