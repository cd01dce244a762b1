"""Results of runs: one form for every machine and workload."""
