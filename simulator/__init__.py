"""nwtsim: a simulator of a vector-parallel supercomputer and its storage hierarchy."""

import time

__version__ = "0.1.0"

IMPORTED = time.time()
"""Time at which this process began to import the program: newer files may be other code."""
