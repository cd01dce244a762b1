"""The reference engine: runs plans with SimPy; readable, and independent of the native engine.

It follows docs/composition.md. Resources, tiers, stores and processes are small classes;
waiting is a generator's ``yield``.
"""
