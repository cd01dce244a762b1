"""What reports over traced calls compute; how they look is :mod:`simulator.report.trace`."""
