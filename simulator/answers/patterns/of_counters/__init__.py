"""Patterns that the counters of a Darshan log show, with the numbers of the log.

Each takes a :class:`~simulator.answers.patterns.of_counters.job.CountedJob` and returns findings.
Nothing is simulated: what a cure saves is said by the replay of samples, if at all.
"""
