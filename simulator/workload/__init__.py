"""What the jobs of a workload do: their records, and the plan of their phases."""
