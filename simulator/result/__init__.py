"""Results of runs: one form for all machines and workloads."""
