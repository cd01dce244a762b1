"""Rewrites of listed calls: what a program would call once a pattern of it is cured.

A rewrite preserves what is computed between calls, what is written in the end, and who waits for
whom. It is a function of a traced program, so that rewrites can be applied one after the other.
"""
