"""A machine file from bounded probes on a folder: what is measured, how, and what follows."""
