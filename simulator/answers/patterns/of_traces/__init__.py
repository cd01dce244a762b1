"""Patterns of a traced program: what its calls show; each looks for one way to take too long.

A pattern is a function of a :class:`~simulator.answers.program.Program`; its finding has cures,
which are to be run.
"""
