"""What the engine's modules need of Cython when they run as plain Python without it."""

from __future__ import annotations

from contextlib import nullcontext


class cython:  # noqa: N801 - it stands for the module of that name
    """The two names that are used."""

    compiled = False
    nogil = nullcontext()
