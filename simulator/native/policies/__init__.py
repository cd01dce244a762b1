"""Which clean block goes when room is needed: a module for each policy.

A policy is three functions of the blocks: ``touch``, a block that is there is used; ``clean``, the
ring that a block joins when it becomes clean; ``victim``, the clean block of an instance that goes
(there is one). It has no clock.
"""
