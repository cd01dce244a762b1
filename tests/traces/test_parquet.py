"""The bytes of a store: what pyarrow and DuckDB read is what was written."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.traces.codes import ABSENT, NULL
from simulator.traces.columns import COLUMNS, SURE
from simulator.traces.names import Names
from simulator.traces.parquet import StoreFile
from simulator.traces.reader import read
from simulator.traces.rows import Rows
from simulator.traces.store import open_store, write
from tests.interpreted import interpreted, is_compiled
from tests.traces.test_scanner_whole import made_up_log

pq = pytest.importorskip("pyarrow.parquet")

WORDS = ("read", "write", "", "é", "a" * 300)
LONGS = st.one_of(
    st.none(),
    st.integers(-3, 3),
    st.integers(0, 2**40),
    st.integers(-(2**63) + 1, 2**63 - 1),
)
SHORTS = st.one_of(st.none(), st.integers(0, 3), st.integers(0, 2**31 - 1))
TEXTS = st.one_of(st.none(), st.integers(0, len(WORDS) - 1))


def value(name: str) -> st.SearchStrategy[int | None]:
    kinds = {"int64": LONGS, "int32": SHORTS, "text": TEXTS}
    chosen = kinds[COLUMNS[name]]
    return chosen.filter(lambda one: one is not None) if name in SURE else chosen


def columns(name: str) -> st.SearchStrategy[list[int | None]]:
    return st.one_of(
        st.lists(value(name), min_size=1, max_size=300),
        value(name).map(lambda one: [one] * 260),
    )


def fill(rows: Any, name: str, values: list[int | None]) -> None:
    """Let all columns but one be empty, as far as they may be."""
    for other, numbers in rows.columns().items():
        wide = COLUMNS[other] == "int64"
        for i in range(len(values)):
            numbers[i] = 0 if other in SURE else NULL if wide else ABSENT
        if other == name:
            for i, one in enumerate(values):
                if one is not None:
                    numbers[i] = used(rows, name, one)
    rows.count = len(values)


def used(rows: Any, name: str, one: int) -> int:
    """Texts that a batch numbers for itself have other numbers there."""
    which = {"file": rows.files, "to_file": rows.to_files}.get(name)
    if which is None:
        return one
    for at in range(which.count):
        if which.used[at] == one:
            return at
    which.used[which.count] = one
    which.count += 1
    return which.count - 1


def written(path: Path, name: str, batches: list[list[int | None]], modules: Any) -> bytes:
    """Write one column in several batches; gives the file's bytes."""
    make_names, make_rows, make_file = modules
    names = make_names()
    for word in WORDS:
        names.word(word.encode())
    rows = make_rows(names, 512)
    with make_file(path, rows, dict.fromkeys(("call", "kind", "error", "flags"), names)) as file:
        for values in batches:
            fill(rows, name, values)
            file.write(rows)
        file.end({"nwtsim": "{}"})
    return path.read_bytes()


@pytest.mark.parametrize("name", COLUMNS)
def test_pyarrow_reads_what_was_written(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"

    @settings(max_examples=25, deadline=None)
    @given(st.lists(columns(name), max_size=3))
    def check(batches: list[list[int | None]]) -> None:
        written(path, name, batches, (Names, Rows, StoreFile))
        table = pq.read_table(path)
        expected = [one for values in batches for one in values]
        if COLUMNS[name] == "text":
            expected = [None if one is None else WORDS[one] for one in expected]
        assert table[name].to_pylist() == expected
        for other in set(COLUMNS) - SURE - {name}:
            assert table[other].null_count == len(expected)

    check()


@pytest.mark.parametrize("name", ["offset", "fd", "file", "pid"])
def test_the_interpreted_twin_writes_the_same_bytes(name: str, tmp_path: Path) -> None:
    names, rows, parquet, pack = interpreted(
        "simulator.traces.names",
        "simulator.traces.rows",
        "simulator.traces.parquet",
        "simulator.traces.pack",
    )
    assert not is_compiled(pack)

    @settings(max_examples=15, deadline=None)
    @given(st.lists(columns(name), max_size=2))
    def check(batches: list[list[int | None]]) -> None:
        ours = written(tmp_path / "a", name, batches, (Names, Rows, StoreFile))
        twins = (names.Names, rows.Rows, parquet.StoreFile)
        assert written(tmp_path / "b", name, batches, twins) == ours

    check()


def test_the_schema_is_that_of_pyarrow(tmp_path: Path) -> None:
    from simulator.traces.columns import schema

    path = tmp_path / "x.parquet"
    written(path, "fd", [[1, None, 3]], (Names, Rows, StoreFile))
    file = pq.ParquetFile(path)
    assert file.schema_arrow.equals(schema())
    with pq.ParquetWriter(tmp_path / "y.parquet", schema()):
        pass
    other = pq.ParquetFile(tmp_path / "y.parquet").schema
    for i, name in enumerate(COLUMNS):
        ours, theirs = file.schema.column(i), other.column(i)
        assert (ours.name, ours.physical_type, ours.max_definition_level) == (
            name,
            theirs.physical_type,
            theirs.max_definition_level,
        )


def test_a_store_is_the_same_table_as_pyarrow_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb")
    from simulator.traces import reader, store

    monkeypatch.setattr(reader, "BATCH", 333)
    log, ours, theirs = tmp_path / "log", tmp_path / "a.parquet", tmp_path / "b.parquet"
    log.write_text(made_up_log(300))
    count = write(read([log], cwd="/w"), ours)
    monkeypatch.setattr(store, "_is_quick", lambda _: False)
    assert write(read([log], cwd="/w"), theirs) == count == 3000
    assert pq.read_table(ours).cast(pq.read_table(theirs).schema) == pq.read_table(theirs)
    for one, other in ((ours, theirs), (theirs, ours)):
        differ = f"SELECT * FROM '{one}' EXCEPT ALL SELECT * FROM '{other}'"
        assert duckdb.sql(f"SELECT count(*) FROM ({differ})").fetchall() == [(0,)]
    assert open_store(ours).about == open_store(theirs).about
    assert pq.ParquetFile(ours).metadata.num_row_groups > 5


def test_a_store_without_rows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    written(path, "fd", [], (Names, Rows, StoreFile))
    assert pq.read_table(path).num_rows == 0
