"""A mutation run: chosen errors in the model, and claims that always hold; ``make mutants``."""
