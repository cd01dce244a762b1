"""The parts of a machine: a frozen specification and a queueing device for each."""
