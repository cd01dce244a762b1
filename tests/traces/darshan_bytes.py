"""Darshan logs (format 3.41) written byte by byte, without Darshan's library but for its names."""

import struct
import zlib

HEAD = 1328
MODULES = {
    "POSIX": (1, 4),
    "MPI-IO": (2, 3),
    "H5F": (3, 4),
    "H5D": (4, 2),
    "BG/Q": (7, 2),
    "LUSTRE": (8, 1),
    "STDIO": (9, 2),
    "DXT_POSIX": (10, 1),
    "MDHIM": (12, 1),
    "HEATMAP": (15, 1),
    "DFS": (16, 1),
}
"""Number, and version of the records, of each module."""
BEHIND = {"DFS": 32}
"""Bytes behind the counters of a record."""


def record(module, number, rank, counters, file=None):
    """Return a record; counters by their names without the module's. ``file``: of a data set."""
    from darshan.backend import cffi_backend as library

    prefix = "MPIIO_" if module == "MPI-IO" else f"{module}_"
    names = library.counter_names(module), library.fcounter_names(module)
    kinds = (names[0].index, names[1].index)
    values = [[0] * len(names[0]), [0.0] * len(names[1])]
    for name, value in counters.items():
        floating = name.startswith("F_")
        values[floating][kinds[floating](prefix + name)] = value
    packed = struct.pack("<Qq", number, rank)
    packed += b"" if file is None else struct.pack("<Q", file)
    packed += struct.pack(f"<{len(values[0])}q", *values[0])
    packed += struct.pack(f"<{len(values[1])}d", *values[1])
    return packed + bytes(BEHIND.get(module, 0))


def segments(number, rank, *, writes=(), reads=()):
    """Return DXT's record of a file and rank: (offset, length, start, end) of each call."""
    head = struct.pack("<Qqq64sqq", number, rank, 0, b"node1", len(writes), len(reads))
    return head + b"".join(struct.pack("<qqdd", *one) for one in (*writes, *reads))


def heat(number, rank, width, *, writes, reads):
    """Return the record of a rank's bytes in each bin of ``width`` seconds."""
    head = struct.pack("<Qqdqqq", number, rank, width, len(writes), 0, 0)
    return head + struct.pack(f"<{2 * len(writes)}q", *writes, *reads)


def stripes(number, rank, size, targets):
    """Return the record of a file's stripes (version 1: OSTs, MDTs, offset, size, width)."""
    head = struct.pack("<Qq5q", number, rank, 248, 1, 0, size, len(targets))
    return head + struct.pack(f"<{len(targets)}q", *targets)


def write(path, modules, *, names, nprocs=4, seconds=100, partial=()):
    """Write a log: the packed records of its modules, and the names of files by number."""
    times = (1_700_000_000, 0, 1_700_000_000 + seconds, 0)
    job = struct.pack("<7q", 1000, *times, nprocs, 77)
    table = b"".join(struct.pack("<Q", key) + name.encode() + b"\0" for key, name in names.items())
    place, body, maps, versions, flags = HEAD, b"", [(0, 0)] * 64, [0] * 64, 0
    parts = [(None, job + b"lib_ver=3.4.7\n".ljust(1024, b"\0") + b"./app\0"), (None, table)]
    for module, raw in (*parts, *modules.items()):
        packed = zlib.compress(raw)
        if module is None:
            name_map = (place, len(packed))
        else:
            number, version = MODULES[module]
            maps[number], versions[number] = (place, len(packed)), version
            flags |= (module in partial) << number
        place += len(packed)
        body += packed
    head = b"3.41\0\0\0\0" + struct.pack("<q", 6567223) + bytes(8) + struct.pack("<Q", flags)
    head += struct.pack("<QQ", *name_map) + b"".join(struct.pack("<QQ", *one) for one in maps)
    path.write_bytes(head + struct.pack("<64I", *versions) + body)
    return path
