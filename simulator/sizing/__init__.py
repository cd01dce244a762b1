"""Sizing: the cheapest machine that meets a requirement, and how sure that is."""
