"""The reference engine: plans carried out with SimPy, readable and independent of the native one.

It follows docs/composition.md. Parts, tiers, stores and processes are small classes;
waiting is a generator's ``yield``.
"""
