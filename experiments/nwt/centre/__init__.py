"""The NWT as a centre: five years of jobs in a queue, and two months of jobs with their data.

``years`` runs the jobs of tables 2.1 and 2.2 without data, ``months`` those of table 4.1 with them;
``predictions.yaml`` says what was expected before any of these runs, and ``claims`` compares.
"""
