"""Where the defaults of machine and workload files come from: a sentence for each.

A default stands in its section; here is why it is what it is, by ``Section.key``. Of a kind of
part that stands in its section too (``reasons``). What is neutral (no overhead, one server) says
so. ``nwtsim show`` prints the sentence beside the value.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from simulator.config.section import Section
from simulator.kinds import classes_of

SINGLE = "neutral: one"
FREE = "neutral: it costs nothing unless the file says so"
STILL = "neutral: a device without moving parts"
A_CORE = "assumed: a core of a server of about 2015 copies 5 GB/s and more"
A_CALL = "assumed: a system call on a file takes 1 to 3 us beside its copying"
ONE_WAY = "a device serves reads and writes alike; channels and links have each way for itself"
_ROMIO = "ROMIO's hint"
_OFFERED = "parallel file systems with an interface of their own have it; their clients ask for it"
_LINUX = "Linux kernel documentation, admin-guide/sysctl/vm"

DEFAULTS = {
    "Group.count": SINGLE,
    "BufferCache.block": "assumed: blocks of parallel file systems have 64 KiB and more",
    "BufferCache.prefetch": "neutral: nothing is read ahead",
    "MessageServer.lookup": FREE,
    "MessageServer.copy_rate": A_CORE,
    "MessageServer.header": "assumed: an address, a length and a few numbers",
    "MessageServer.location_cache": "a port never moves, so what is remembered stays true",
    "NumericalServer.favoured": "UNIX favours processes that have used little CPU time",
    "NumericalServer.at_once": "neutral: all calls compute at once",
    "Library.threads": SINGLE,
    "Library.half": "neutral: the full speed at any length",
    "Variation.run": "neutral: no variation between runs",
    "Variation.request": "neutral: no variation between requests",
    "Variation.distribution": "service times are positive and skewed; their logarithms are not",
    "Store.block": "a page of x86-64",
    "Store.policy": "what most caches approximate",
    "Store.write": "what page caches do (POSIX asks no more of write)",
    "Store.dirty": f"{_LINUX}: dirty_ratio 20",
    "Store.start": f"{_LINUX}: write-back starts at a mark",
    "Store.high": f"{_LINUX}: dirty_background_ratio 10; not above the dirty limit",
    "Store.writers": "assumed: one thread for each device, as Linux has",
    "Store.release": "neutral: blocks go when their room is needed",
    "Attributes.min": "Linux manual page nfs(5): acregmin 3",
    "Attributes.max": "Linux manual page nfs(5): acregmax 60",
    "FileSystem.close": "POSIX: close does not wait for the device",
    "Request.window": "neutral: one request after the other",
    "Request.aligned": "what page caches and parallel file systems do",
    "Route.window": "neutral: one request after the other",
    "Stripe.placement": "Lustre and BeeGFS take targets in turn as long as all are about as full",
    "Stripe.over": "neutral: all members",
    "Runtime.policy": "programs in C and most other languages call the system directly",
    "MpiIo.call_overhead": A_CALL,
    "MpiIo.item_overhead": FREE,
    "MpiIo.item_size": "an offset and a length of 8 bytes each",
    "MpiIo.stride_size": "four numbers of 8 bytes",
    "MpiIo.copy_rate": A_CORE,
    "MpiIo.transfer_buffer": "assumed: 1 MiB, the largest request of many file systems",
    "MpiIo.sieve_buffer": f"{_ROMIO} ind_rd_buffer_size: 4 MiB",
    "MpiIo.sieve_write_buffer": f"{_ROMIO} ind_wr_buffer_size: 512 KiB",
    "MpiIo.collective_buffer": f"{_ROMIO} cb_buffer_size: 16 MiB",
    "MpiIo.lock_overhead": FREE,
    "MpiIo.barrier_overhead": FREE,
    "MpiIo.stride_io": _OFFERED,
    "MpiIo.list_io": _OFFERED,
    "MpiIo.disk_directed": _OFFERED,
    "MpiIo.file_lock": "ROMIO: a write that changes part of what it writes holds the file's lock",
    "MpiTransfer.access": "what MPI-IO has over POSIX",
    "MpiTransfer.method": "neutral: the best that the file system offers",
    "MpiTransfer.nonblocking": "neutral: a call returns when it is done",
    "Job.skew": "neutral: all start at one time",
    "Layout.over": "neutral: all members",
    "Runtime.buffer": "GNU Fortran manual: GFORTRAN_UNFORMATTED_BUFFER_SIZE is 131,072 bytes",
}
"""Why each default is what it is."""


@functools.cache
def _of_parts() -> dict[str, str]:
    """The reasons that kinds of parts give for their defaults."""
    sections: Iterator[type[Section]] = classes_of("parts", "section", Section)
    return {f"{one.__name__}.{key}": why for one in sections for key, why in one.reasons.items()}


def why(section: str, key: str) -> str:
    """Return why the default of a key is what it is; empty if nothing is said of it."""
    place = f"{section}.{key}"
    return DEFAULTS.get(place) or _of_parts().get(place, "")
