"""The plan: a machine and its jobs as tables of integers, the only input of an engine.

docs/composition.md specifies its execution. Sizes are bytes, times nanoseconds, rates
bytes per second. Rows are numbered from 0; -1 means none.
"""
