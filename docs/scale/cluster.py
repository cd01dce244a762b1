"""A Dask cluster of Slurm jobs, until Enter is pressed; docs/scale.md."""

from dask_jobqueue import SLURMCluster

cluster = SLURMCluster(
    cores=16,  # of a job, and as many workers in it, of one thread each
    processes=16,
    memory="32 GB",
    walltime="02:00:00",
    queue="compute",
    scheduler_options={"port": 8786},
    job_script_prologue=["source ~/nwtsim/.venv/bin/activate"],
)
cluster.scale(jobs=8)  # or cluster.adapt(maximum_jobs=8): as many as there is work for
print(cluster.scheduler_address)
input("Enter ends the cluster\n")
