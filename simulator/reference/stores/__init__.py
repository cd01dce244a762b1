"""Stores: blocks of files in memory, their replacement, and the actors that wait for them."""
