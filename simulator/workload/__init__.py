"""Work of the jobs of a workload: calls, meshes, problems."""
