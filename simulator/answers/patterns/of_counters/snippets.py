"""Lines of code that carry out a cure, for the library and the language of a program."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.answers.patterns.of_counters.job import CountedJob

MPI, HDF5, NETCDF, PNETCDF, PLAIN = "MPI-IO", "HDF5", "netCDF", "PnetCDF", "POSIX"
NETCDF_ENDS = (".nc", ".nc4", ".cdf", ".netcdf")
PYTHON, OTHERS = ("Python",), ("C", "Fortran", "Python")

_LINES: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "collective": {
        MPI: {
            "C": 'MPI_File_set_view(fh, disp, MPI_BYTE, filetype, "native", info);\n'
            "MPI_File_{way}_all(fh, buffer, count, MPI_BYTE, &status);",
            "Fortran": "call MPI_File_set_view(fh, disp, MPI_BYTE, filetype, 'native', info)\n"
            "call MPI_File_{way}_all(fh, buffer, count, MPI_BYTE, status)",
            "Python": "fh.Set_view(disp, MPI.BYTE, filetype)  # mpi4py\nfh.{Way}_all(buffer)",
        },
        HDF5: {
            "C": "hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);\n"
            "H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);\n"
            "H5D{way}(dset, type, memspace, filespace, dxpl, buffer);",
            "Fortran": "call h5pcreate_f(H5P_DATASET_XFER_F, dxpl, error)\n"
            "call h5pset_dxpl_mpio_f(dxpl, H5FD_MPIO_COLLECTIVE_F, error)",
            "Python": "with dset.collective:  # h5py with MPI\n    dset[begin:end] = block",
        },
        NETCDF: {
            "C": "nc_var_par_access(ncid, varid, NC_COLLECTIVE);",
            "Fortran": "status = nf90_var_par_access(ncid, varid, nf90_collective)",
            "Python": "variable.set_collective(True)  # netCDF4 with MPI",
        },
        PNETCDF: {
            "C": "ncmpi_put_vara_all(ncid, varid, start, count, buffer, n, MPI_FLOAT);",
            "Fortran": "status = nf90mpi_put_var_all(ncid, varid, values, start, count)",
        },
        PLAIN: {
            "C": "MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh);\n"
            "MPI_File_{way}_at_all(fh, offset, buffer, count, MPI_BYTE, &status);",
            "Fortran": "call MPI_File_{way}_at_all(fh, offset, buffer, count, MPI_BYTE, status)",
            "Python": "fh = MPI.File.Open(comm, name, MPI.MODE_CREATE | MPI.MODE_RDWR)\n"
            "fh.{Way}_at_all(offset, buffer)  # mpi4py",
        },
    },
    "hints": {
        PLAIN: {
            "C": "MPI_Info_create(&info);\n"
            'MPI_Info_set(info, "romio_cb_{way}", "enable");\n'
            'MPI_Info_set(info, "cb_nodes", "{nodes}");\n'
            'MPI_Info_set(info, "cb_buffer_size", "16777216");',
            "Fortran": "call MPI_Info_create(info)\n"
            "call MPI_Info_set(info, 'romio_cb_{way}', 'enable')\n"
            "call MPI_Info_set(info, 'cb_nodes', '{nodes}')",
            "Python": "info = MPI.Info.Create()  # mpi4py\n"
            "info.Set('romio_cb_{way}', 'enable')\n"
            "info.Set('cb_nodes', '{nodes}')",
        },
    },
    "chunks": {
        HDF5: {
            "C": "hsize_t chunk[] = {{...}};  /* the block of one rank */\n"
            "H5Pset_chunk(dcpl, ndims, chunk);",
            "Fortran": "call h5pset_chunk_f(dcpl, ndims, chunk, error)",
            "Python": "file.create_dataset(name, shape, dtype, chunks=block)",
        },
        NETCDF: {
            "C": "nc_def_var_chunking(ncid, varid, NC_CHUNKED, block);",
            "Fortran": "status = nf90_def_var_chunking(ncid, varid, nf90_chunked, block)",
            "Python": "ds.createVariable(name, 'f8', dims, chunksizes=block)",
        },
    },
    "no fill": {
        HDF5: {
            "C": "H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER);",
            "Fortran": "call h5pset_fill_time_f(dcpl, H5D_FILL_TIME_NEVER_F, error)",
            "Python": "file.create_dataset(name, shape, dtype, fill_time='never')",
        },
        NETCDF: {
            "C": "nc_set_fill(ncid, NC_NOFILL, NULL);",
            "Fortran": "status = nf90_set_fill(ncid, nf90_nofill, old)",
            "Python": "dataset.set_fill_off()",
        },
        PNETCDF: {"C": "ncmpi_set_fill(ncid, NC_NOFILL, NULL);"},
    },
    "chunk cache": {
        HDF5: {
            "C": "H5Pset_chunk_cache(dapl, 12421, {size}, 1.0);  /* before H5Dopen */",
            "Fortran": "call h5pset_chunk_cache_f(dapl, 12421_size_t, {size}_size_t, 1.0, error)",
            "Python": "h5py.File(name, rdcc_nbytes={size}, rdcc_nslots=12421)",
        },
        NETCDF: {
            "C": "nc_set_var_chunk_cache(ncid, varid, {size}, 12421, 1.0f);",
            "Fortran": "status = nf90_set_chunk_cache({size}, 12421, 1.0)",
            "Python": "variable.set_var_chunk_cache(size={size}, nelems=12421, preemption=1.0)",
        },
    },
    "align": {
        HDF5: {
            "C": "H5Pset_alignment(fapl, {size}, {size});\nH5Pset_meta_block_size(fapl, {size});",
            "Fortran": "call h5pset_alignment_f(fapl, {size}_hsize_t, {size}_hsize_t, error)",
            "Python": "h5py.File(name, 'w', alignment_threshold={size}, alignment_interval={size})",
        },
        MPI: {
            "C": 'MPI_Info_set(info, "striping_unit", "{size}");\n'
            "offset = (offset + {size} - 1) / {size} * {size};",
            "Fortran": "call MPI_Info_set(info, 'striping_unit', '{size}')",
            "Python": "info.Set('striping_unit', '{size}')  # mpi4py",
        },
        PNETCDF: {
            "C": 'MPI_Info_set(info, "nc_var_align_size", "{size}");',
            "Fortran": "call MPI_Info_set(info, 'nc_var_align_size', '{size}')",
        },
        PLAIN: {
            "C": "offset = (offset + {size} - 1) / {size} * {size};  /* whole stripes */",
            "Fortran": "offset = (offset + {size} - 1) / {size} * {size}",
            "Python": "offset = -(-offset // {size}) * {size}",
        },
    },
    "metadata": {
        HDF5: {
            "C": "H5Pset_all_coll_metadata_ops(fapl, true);\n"
            "H5Pset_coll_metadata_write(fapl, true);\n"
            "H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);",
            "Fortran": "call h5pset_all_coll_metadata_ops_f(fapl, .true., error)\n"
            "call h5pset_coll_metadata_write_f(fapl, .true., error)",
            "Python": "h5py.File(name, 'w', libver='latest', driver='mpio', comm=comm)",
        },
    },
    "share": {
        PLAIN: {
            "C": "if (rank == 0) read_file(name, buffer);\n"
            "MPI_Bcast(buffer, size, MPI_BYTE, 0, MPI_COMM_WORLD);",
            "Fortran": "if (rank == 0) read(unit) values\n"
            "call MPI_Bcast(values, size(values), MPI_REAL, 0, MPI_COMM_WORLD, error)",
            "Python": "data = comm.bcast(read_file(name) if comm.rank == 0 else None)  # mpi4py",
        },
    },
    "buffer": {
        PLAIN: {
            "C": "setvbuf(file, NULL, _IOFBF, {size});  /* after fopen */",
            "Fortran": "open(unit, file=name, access='stream')  ! and one WRITE of the array\n"
            "! or, without a change: GFORTRAN_UNFORMATTED_BUFFER_SIZE={size} ./program",
            "Python": "open(name, mode, buffering={size})",
        },
    },
    "sync": {
        PLAIN: {
            "C": "for (...) write(fd, ...);\nfsync(fd);  /* once, after the last write */",
            "Fortran": "flush(unit)  ! once, after the last WRITE",
            "Python": "os.fsync(file.fileno())  # once, after the last write",
        },
    },
    "open once": {
        PLAIN: {
            "C": "int fd = open(name, flags);\nfor (...) pread(fd, ...);\nclose(fd);",
            "Fortran": "open(unit, file=name)  ! before the loop, and close after it",
            "Python": "with open(name) as file:\n    for ...: ...",
        },
    },
}
"""Topic -> library -> language -> lines. Where a library has none of its own, POSIX' are right."""
TOPICS = tuple(_LINES)


def library_of(job: CountedJob, name: str) -> str:
    """Return the highest library by which a file was used, as the log has it."""
    if name in job.pnetcdf:
        return PNETCDF
    ends = name.lower().endswith(NETCDF_ENDS)
    if name in job.hdf5 or (ends and name in job.mpi):
        return NETCDF if ends else HDF5
    return MPI if name in job.mpi else PLAIN


def languages_of(job: CountedJob) -> tuple[str, ...]:
    """Return the languages that a program may be in: Python's by its name, else any."""
    return PYTHON if str(job.found["job"].get("exe", "")).startswith("python") else OTHERS


def snippet(job: CountedJob, topic: str, name: str, **values: object) -> str:
    """Return the lines of a cure of a file, a paragraph for each language; empty if none fit.

    ``values``: ``way`` (read or write), ``size`` in bytes, ``nodes`` that gather.
    """
    library = library_of(job, name)
    by_library = _LINES[topic]
    if library == NETCDF and library not in by_library:
        library = HDF5
    lines = by_library.get(library, by_library.get(PLAIN, {}))
    values = {"way": "write", "size": 1 << 20, "nodes": 8, **values}
    values["Way"] = str(values["way"]).capitalize()
    made = []
    for language in languages_of(job):
        if language in lines:
            text = lines[language].format(**values)
            made.append(f"{language}: " + text.replace("\n", "\n" + " " * (len(language) + 2)))
    return "\n".join(made)


def striping(folder: str, stripes: int, size: int) -> str:
    """Return the command that gives new files of a folder so many stripes; ``size`` in bytes."""
    megabytes = max(1, size >> 20)
    return f"lfs setstripe -c {stripes} -S {megabytes}M {folder or '.'}"
