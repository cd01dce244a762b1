"""Questions whose answers are runs: what limits a run, and what would make it shorter.

A report lays out what these modules return; it asks nothing itself. See docs/decisions/0026.
"""
