"""The runtime of programs where a workload does not name one, and their MPI-IO library."""

from __future__ import annotations

from typing import Annotated

from simulator.config.quantities import Flag, Rate, Size, Time, word
from simulator.config.section import Section, default
from simulator.config.sources import A_CALL, A_CORE, FREE
from simulator.runtime.exchange import LibrarySpec
from simulator.runtime.policies import all_names
from simulator.service import ServiceSpec
from simulator.units import Bytes, BytesPerSecond, Nanoseconds

_OFFERED = "parallel file systems with an interface of their own have it; their clients ask for it"
ROMIO_WRITE_BUFFER = Bytes(512 << 10)
"""The default of ind_wr_buffer_size (ROMIO Users Guide)."""


class MpiIo(Section):
    """The MPI-IO library, and the calls of the file system that it can make."""

    synonyms = {
        "cb_buffer_size": "collective_buffer",
        "ind_rd_buffer_size": "sieve_buffer",
        "ind_wr_buffer_size": "sieve_write_buffer",
        "exchange_buffer": "collective_buffer",
        "striping_unit": "domain_unit",
        "collective": "disk_directed",
    }

    later = frozenset(("domain_unit",))

    call_overhead: Time = default(Nanoseconds(2000), A_CALL)
    """Time of one call of the file system, library included."""
    item_overhead: Time = default(Nanoseconds(0), FREE)
    """Time to put one piece on a list."""
    item_size: Size = default(Bytes(16), "an offset and a length of 8 bytes each")
    """Bytes of a piece on a list, in a request."""
    stride_size: Size = default(Bytes(32), "four numbers of 8 bytes")
    """Bytes that describe pieces at equal distances, in a request."""
    copy_rate: Rate = default(BytesPerSecond(5e9), A_CORE)
    """Copying in the library: data sieving, two-phase."""
    transfer_buffer: Size = default(
        Bytes(1 << 20), "assumed: 1 MiB, the largest request of many file systems"
    )
    """Bytes of one call that are under way at one time."""
    sieve_buffer: Size = default(Bytes(4 << 20), "ROMIO's hint ind_rd_buffer_size: 4 MiB")
    """Bytes that data sieving reads at one time (ind_rd_buffer_size)."""
    sieve_write_buffer: Size | None = None
    """Bytes that data sieving changes at one time (ind_wr_buffer_size); if left out those of
    sieve_buffer on I/O nodes, else 512 KiB."""
    collective_buffer: Size = default(Bytes(16 << 20), "ROMIO's hint cb_buffer_size: 16 MiB")
    """Bytes that a process of two-phase reads or writes at one time (cb_buffer_size)."""
    domain_unit: Size | None = None
    """Domains of two-phase end at the nearest multiples of it (striping_unit): a stripe, or what a
    lock of a file is for. They are equal if it is left out."""
    lock_overhead: Time = default(Nanoseconds(0), FREE)
    """Time to ask for the lock of a file and to give it back."""
    barrier_overhead: Time = default(Nanoseconds(0), FREE)
    """Time to tell the others that one has come to a collective call."""
    stride_io: Flag = default(True, _OFFERED)
    """The file system has a call for pieces at equal distances (strided I/O)."""
    list_io: Flag = default(True, _OFFERED)
    """The file system has a call for a list of pieces (list I/O)."""
    disk_directed: Flag = default(True, _OFFERED)
    """The file system has collective calls, whose requests I/O nodes merge (disk-directed I/O)."""
    file_lock: Flag = default(
        True, "ROMIO: a write that changes part of what it writes holds the file's lock"
    )
    """An independent write of several pieces holds the lock of the file."""

    def library(self, node_copy: ServiceSpec | None = None, *, write: bool = False) -> LibrarySpec:
        """Return what calls and copies cost.

        ``node_copy`` is copying in an I/O node; None where there are none.
        """
        sieve = self.sieve_buffer
        if write:
            usual = ROMIO_WRITE_BUFFER if node_copy is None else sieve
            sieve = self.sieve_write_buffer or usual
        return LibrarySpec(
            call_ns=self.call_overhead,
            item_ns=self.item_overhead,
            item=self.item_size,
            stride=self.stride_size,
            copy=ServiceSpec(self.copy_rate),
            transfer_buffer=self.transfer_buffer,
            sieve_buffer=sieve,
            exchange_buffer=self.collective_buffer,
            lock_ns=self.lock_overhead,
            barrier_ns=self.barrier_overhead,
            node_copy=node_copy or ServiceSpec(float("inf")),
            locks=self.file_lock,
            domain_unit=self.domain_unit or 0,
        )


Policy = Annotated[str, word("policy", *all_names())]
"""How the Fortran runtime writes the length in front of a record; posix: no Fortran, no length."""


class Runtime(Section):
    """How programs do their I/O, where a workload does not say otherwise."""

    policy: Policy = default(
        "posix", "programs in C and most other languages call the system directly"
    )
    """The runtime: calls of the operating system (posix), or one of Fortran's."""
    buffer: Size = default(
        Bytes(131_072), "GNU Fortran manual: GFORTRAN_UNFORMATTED_BUFFER_SIZE is 131,072 bytes"
    )
    """Fortran's buffer of one file."""
    mpi_io: MpiIo | None = None
    """The MPI-IO library of phases mpi-read and mpi-write; there with its defaults on a machine
    with I/O nodes."""
