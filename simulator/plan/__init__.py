"""The plan: a machine and its jobs as tables of whole numbers, which is all that an engine sees.

docs/composition.md says what an engine does with it. Sizes are bytes, times nanoseconds, rates
bytes per second. Rows are numbered from 0; -1 stands for none.
"""
