"""How programs do their I/O, where a workload does not say otherwise."""

from __future__ import annotations

from typing import Annotated

from simulator.config.mpi_io import MpiIo
from simulator.config.quantities import Size, word
from simulator.config.section import Section
from simulator.runtime.policies import all_names
from simulator.units import Bytes

Policy = Annotated[str, word("policy", *all_names())]
"""How the Fortran runtime writes the length in front of a record; posix: no Fortran, no length."""


class Runtime(Section):
    """How programs do their I/O, where a workload does not say otherwise."""

    policy: Policy = "posix"
    """The runtime: calls of the operating system (posix), or one of Fortran's."""
    buffer: Size = Bytes(131_072)
    """Fortran's buffer of one file."""
    mpi_io: MpiIo | None = None
    """The MPI-IO library of phases mpi-read and mpi-write; there with its defaults on a machine
    with I/O nodes."""
