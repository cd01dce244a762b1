"""The modules of Darshan: which of their counters are of which calls, and what lies beneath.

Of a layer the calls of those beneath are a part: a read by HDF5 is a read by MPI-IO, which is one
of POSIX. Not modelled: calls of STDIO that are a part of another layer's.
"""

from __future__ import annotations

READ = ("F_READ_TIME", "F_MAX_READ_TIME", "BYTES_READ")
WRITE = ("F_WRITE_TIME", "F_MAX_WRITE_TIME", "BYTES_WRITTEN")
LARGEST = frozenset({"MAX_BYTE_READ", "MAX_BYTE_WRITTEN", "F_MAX_READ_TIME", "F_MAX_WRITE_TIME"})
"""Counters of which the largest is kept."""
TIMES = frozenset({"F_READ_TIME", "F_WRITE_TIME", "F_META_TIME", "F_WAIT_TIME"})
_KINDS = ("INDEP", "COLL", "SPLIT", "NB")

Calls = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
CALLS: dict[str, Calls] = {
    "POSIX": {
        "open": (("OPENS",), ()),
        "read": (("READS",), READ),
        "write": (("WRITES",), WRITE),
        "lseek": (("SEEKS",), ()),
        "stat": (("STATS",), ()),
        "mmap": (("MMAPS",), ()),
        "fsync": (("FSYNCS",), ()),
        "fdatasync": (("FDSYNCS",), ()),
        "rename": (("RENAME_SOURCES",), ()),
    },
    "STDIO": {
        "fopen": (("OPENS",), ()),
        "fdopen": (("FDOPENS",), ()),
        "fread": (("READS",), READ),
        "fwrite": (("WRITES",), WRITE),
        "fseek": (("SEEKS",), ()),
        "fflush": (("FLUSHES",), ()),
    },
    # Those without waiting (NB_) are among the others (darshan-dfs.c, darshan-daos.c).
    "DFS": {
        "dfs_open": (("OPENS", "GLOBAL_OPENS", "LOOKUPS", "DUPS"), ()),
        "dfs_read": (("READS", "READXS"), READ),
        "dfs_write": (("WRITES", "WRITEXS"), WRITE),
        "dfs_get_size": (("GET_SIZES",), ()),
        "dfs_stat": (("STATS",), ()),
        "dfs_punch": (("PUNCHES",), ()),
        "dfs_remove": (("REMOVES",), ()),
    },
    "DAOS": {
        "daos_open": (("OBJ_OPENS", "ARRAY_OPENS", "KV_OPENS"), ()),
        "daos_read": (("OBJ_FETCHES", "ARRAY_READS", "KV_GETS"), READ),
        "daos_write": (("OBJ_UPDATES", "ARRAY_WRITES", "KV_PUTS"), WRITE),
        "daos_list": (("OBJ_DKEY_LISTS", "OBJ_AKEY_LISTS", "OBJ_RECX_LISTS", "KV_LISTS"), ()),
        "daos_punch": (
            ("OBJ_PUNCHES", "OBJ_DKEY_PUNCHES", "OBJ_AKEY_PUNCHES", "ARRAY_PUNCHES", "KV_REMOVES"),
            (),
        ),
        "daos_array_size": (("ARRAY_GET_SIZES", "ARRAY_SET_SIZES", "ARRAY_STATS"), ()),
        "daos_destroy": (("ARRAY_DESTROYS", "KV_DESTROYS"), ()),
    },
    "MPI-IO": {
        "MPI_File_open": (("INDEP_OPENS", "COLL_OPENS"), ()),
        "MPI_File_read": (tuple(f"{kind}_READS" for kind in _KINDS), READ),
        "MPI_File_write": (tuple(f"{kind}_WRITES" for kind in _KINDS), WRITE),
        "MPI_File_sync": (("SYNCS",), ()),
    },
    "H5F": {"H5Fopen": (("OPENS",), ()), "H5Fflush": (("FLUSHES",), ())},
    "H5D": {
        "H5Dopen": (("OPENS",), ()),
        "H5Dread": (("READS",), READ),
        "H5Dwrite": (("WRITES",), WRITE),
        "H5Dflush": (("FLUSHES",), ()),
    },
    "PNETCDF_FILE": {
        "ncmpi_open": (("CREATES", "OPENS"), ()),
        "ncmpi_wait": (("INDEP_WAITS", "COLL_WAITS"), ()),
        "ncmpi_redef": (("REDEFS",), ()),
        "ncmpi_sync": (("SYNCS",), ()),
    },
    "PNETCDF_VAR": {
        "ncmpi_get": (("INDEP_READS", "COLL_READS", "NB_READS"), READ),
        "ncmpi_put": (("INDEP_WRITES", "COLL_WRITES", "NB_WRITES"), WRITE),
    },
}
"""Module -> call -> the counters of its number, and those of its time, longest time and bytes."""

LAYERS = {
    "POSIX": "POSIX",
    "DFS": "DAOS",
    "DAOS": "DAOS",
    "MPI-IO": "MPI-IO",
    "H5F": "HDF5",
    "H5D": "HDF5",
    "PNETCDF_FILE": "PnetCDF",
    "PNETCDF_VAR": "PnetCDF",
    "STDIO": "STDIO",
}
"""The layer of each module."""
BENEATH = {
    "MPI-IO": ("POSIX", "STDIO", "DFS", "DAOS"),
    "H5F": ("MPI-IO", "POSIX", "STDIO", "DFS", "DAOS"),
    "H5D": ("MPI-IO", "POSIX", "STDIO", "DFS", "DAOS"),
    "PNETCDF_FILE": ("MPI-IO", "POSIX", "STDIO", "DFS", "DAOS"),
    "PNETCDF_VAR": ("MPI-IO", "POSIX", "STDIO", "DFS", "DAOS"),
    "DAOS": ("DFS",),
}
"""The modules that count what this one does as well. DFS counts its files itself, and is DAOS'."""
STREAMS = frozenset({"<STDIN>", "<STDOUT>", "<STDERR>"})
"""What Darshan calls the standard streams, which are no files."""
WITHOUT_IO = ("NULL", "BG/Q", "LUSTRE", "HEATMAP", "APXC", "APMPI", "DXT_")
"""What modules begin with that move nothing, or that say anew what others count."""
UNUSED = "unused: "
"""What the reader writes before it reads a module only to see if it can be read."""
