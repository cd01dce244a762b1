"""nwtsim: a simulator of a vector-parallel supercomputer and its storage hierarchy."""

__version__ = "0.1.0"
