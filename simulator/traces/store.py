"""The store: rows in a Parquet file, and what is known of the whole trace in its metadata."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from simulator.extras import need
from simulator.inputfile import open_input
from simulator.output import placing
from simulator.traces.columns import COLUMNS, METADATA_KEY, schema
from simulator.traces.errors import TraceError

if TYPE_CHECKING:
    import pyarrow


MEMORY = "1GB"
"""What DuckDB may take; more goes to a temporary folder."""
VERSION = 2
"""Of the store's columns and metadata."""
WITHOUT_NUMPY = 18
"""The first version of pyarrow that does not need numpy."""

DICTIONARIES = [name for name, kind in COLUMNS.items() if kind == "text"]
JUMPING = {"returned"}
DELTAS = [name for name, kind in COLUMNS.items() if kind != "text" and name not in JUMPING]
COMPRESSED = {"file", "to_file", "flags", *JUMPING}
"""How the columns are written: differences between neighbours are small, and quick to pack; but
what calls return jumps between a few values. That and texts are worth compressing."""


class Readable(Protocol):
    """A trace: a log that is read, a store, or a run that was simulated."""

    paths: list[Path]
    about: dict[str, Any]
    """What is known of the whole trace; complete when all batches were read."""
    unknown: dict[str, dict[str, int]]
    """What it does not say, by name, with numbers."""

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """Yield the rows."""


def write(trace: Readable, out: Path) -> int:
    """Write the rows of a trace; the file appears when it is whole. Return the number of rows."""
    pq = _parquet()
    rows = 0
    if any(_same(path, out) for path in trace.paths):
        raise TraceError(f"{out} is a log itself; name another file to write")
    with (
        placing(out) as part,
        pq.ParquetWriter(
            part,
            schema(),
            compression={name: "snappy" if name in COMPRESSED else "none" for name in COLUMNS},
            use_dictionary=DICTIONARIES,
            column_encoding=dict.fromkeys(DELTAS, "DELTA_BINARY_PACKED")
            | dict.fromkeys(JUMPING, "PLAIN"),
            dictionary_pagesize_limit=1 << 28,
            write_statistics=False,
            write_batch_size=1 << 16,  # a whole batch at once, not pieces of 1,024 rows
        ) as writer,
    ):
        for batch in trace.batches():
            rows += batch.num_rows
            writer.write_batch(batch, row_group_size=batch.num_rows)
        writer.add_key_value_metadata({METADATA_KEY.decode(): _record(trace)})
    return rows


def _same(path: Path, out: Path) -> bool:
    return out.exists() and path.exists() and out.samefile(path)


def _record(trace: Readable) -> str:
    from simulator import __version__

    return json.dumps(
        {
            "store": VERSION,
            "nwtsim": __version__,
            "about": trace.about,
            "unknown": trace.unknown,
        },
        ensure_ascii=False,
    )


class Store:
    """A store that was written before."""

    def __init__(self, path: Path) -> None:
        pq = _parquet()
        import pyarrow as pa

        self.paths = [path]
        try:
            self._file = pq.ParquetFile(path)
        except pa.ArrowInvalid as error:
            raise TraceError(
                f"{path}: a damaged Parquet file ({error}); write it again with"
                " 'nwtsim trace import'"
            ) from None
        metadata = self._file.metadata.metadata or {}
        if METADATA_KEY not in metadata:
            raise TraceError(
                f"{path}: a Parquet file, but none that 'nwtsim trace import' has written"
            )
        record: dict[str, Any] = json.loads(metadata[METADATA_KEY])
        if record["store"] > VERSION:
            raise TraceError(f"{path}: written by a newer nwtsim ({record['nwtsim']}); update")
        if record["store"] < VERSION and "darshan" in record["about"]:
            raise TraceError(
                f"{path}: written by an earlier nwtsim ({record['nwtsim']}), which did not read all"
                " modules of a Darshan log; write it again with 'nwtsim trace import'"
            )
        self.about: dict[str, Any] = record["about"]
        self.unknown: dict[str, dict[str, int]] = record["unknown"]

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """Yield the rows."""
        yield from self._file.iter_batches(batch_size=1 << 16)


def record_of(path: Path, connection: Any) -> dict[str, Any] | None:
    """Return what a store's metadata hold of the whole trace, without loading pyarrow.

    DuckDB reads it, by its ``connection``. None if that is not all well: :class:`Store` says what
    is wrong.
    """
    import duckdb

    query = "SELECT value FROM parquet_kv_metadata(?) WHERE key = ?::BLOB"
    try:
        found = connection.execute(query, [str(path), METADATA_KEY.decode()]).fetchall()
    except duckdb.Error:
        return None
    record: dict[str, Any] | None = json.loads(found[0][0]) if len(found) == 1 else None
    if not record or record["store"] > VERSION:
        return None
    return record if record["store"] == VERSION or "darshan" not in record["about"] else None


def connect(folder: Path, memory: str = MEMORY) -> Any:
    """Return a connection of DuckDB, which puts what is more than ``memory`` into a folder."""
    import duckdb

    return duckdb.connect(
        config={
            "memory_limit": memory,
            "temp_directory": str(folder / "more"),
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
    )


def is_store(path: Path) -> bool:
    """Return whether a file is a Parquet file."""
    with open_input(path) as file:
        return file.read(4) == b"PAR1"


def load_without_numpy() -> None:
    """Load pyarrow without numpy, which takes longer to load and which no import needs.

    Conversions between the two do not work afterwards: this is for a process that writes a store
    and ends.
    """
    if "pyarrow" in sys.modules or "numpy" in sys.modules or not _numpy_is_optional():
        return
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    modules["numpy"] = None
    try:
        _parquet()
    finally:
        del sys.modules["numpy"]


def _numpy_is_optional() -> bool:
    """Return whether the pyarrow that is installed, if any, can do without numpy."""
    found = find_spec("pyarrow")
    if found is None or found.origin is None:
        return False
    # The folder beside it has the version in its name: importlib.metadata takes 10 ms to load.
    beside = Path(found.origin).parents[1].glob("pyarrow-*.dist-info")
    versions = [one.name.removeprefix("pyarrow-").partition(".")[0] for one in beside]
    return len(versions) == 1 and versions[0].isdecimal() and int(versions[0]) >= WITHOUT_NUMPY


def _parquet() -> Any:
    need("pyarrow")
    from pyarrow import parquet

    return parquet
