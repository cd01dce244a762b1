"""What a user did wrong outside of the machine and workload files."""

from __future__ import annotations


class InputError(Exception):
    """A mistake of the user; ``str()`` of it is what they should read.

    Subclasses name the mistake. What is wrong inside of a file is a
    :class:`simulator.config.ConfigError`.
    """


class RefusedError(InputError):
    """An engine cannot carry out a plan; ``str()`` says what it lacks.

    Raised before anything is simulated.
    """
