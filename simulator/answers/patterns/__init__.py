"""Patterns of programs that take longer than they need, one module for each.

``in_trace`` looks at the calls of a trace; it returns findings, whose cures are to be run.
"""
