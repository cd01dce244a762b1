"""nwtsim: a simulator of a vector-parallel supercomputer and its storage hierarchy."""

import time

__version__ = "0.1.0"

IMPORTED = time.time()
"""When this process began to import the program: files that are newer may be other code."""
