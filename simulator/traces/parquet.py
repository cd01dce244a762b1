"""A Parquet file from rows as the reader has them: no copy, no search, and few decisions.

pyarrow writes any table; this writes one, with the columns of a store, in far less time
(docs/decisions/0010-the-stores-bytes.md). Each batch is a row group, each column of it one page:
numbers as differences, texts as numbers into the batch's own dictionary. The structures and their
field numbers are those of https://github.com/apache/parquet-format, parquet.thrift. Reading is
left to pyarrow and DuckDB.
"""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.traces.columns import COLUMNS, LONG, SURE, schema
from simulator.traces.pack import Packer
from simulator.traces.thrift import BOOL, INT32, INT64, LIST, STRUCT, TEXT, listed, struct, text

if TYPE_CHECKING:
    from simulator.traces.names import Names
    from simulator.traces.rows import Rows
    from simulator.traces.used import Used

MAGIC = b"PAR1"
TYPES = {"int32": 1, "int64": 2, "text": 6}
"""Of the format: INT32, INT64, BYTE_ARRAY."""
REQUIRED, OPTIONAL = 0, 1
UTF8 = 0
DICTIONARY_PAGE, DATA_PAGE_V2 = 2, 3
PLAIN, RLE, DELTA_BINARY_PACKED, RLE_DICTIONARY = 0, 3, 5, 8
UNCOMPRESSED, SNAPPY = 0, 1


class StoreFile:
    """A store that is being written."""

    def __init__(self, path: Path, rows: Rows, words: dict[str, Names]) -> None:
        import pyarrow as pa

        self._file = path.open("wb")
        self._file.write(MAGIC)
        self._at = len(MAGIC)
        self._packer = Packer(rows.capacity)
        self._out = memoryview(self._packer.out)
        self._words = {name: _Words(names) for name, names in words.items()}
        self._snappy: Any = pa.Codec("snappy")
        self._groups: list[bytes] = []
        self.rows = 0

    def __enter__(self) -> StoreFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, rows: Rows) -> None:
        """Write the rows as a group, and begin a new batch."""
        count, start = rows.count, self._at
        used = {"file": rows.files, "to_file": rows.to_files}
        chunks = []
        for name, numbers in rows.columns().items():
            kind = COLUMNS[name]
            self._take(name, kind, numbers, count)
            if kind != "text":
                chunks.append(self._numbers(name, count))
            else:
                texts = _texts(used[name]) if name in used else self._words[name].texts()
                chunks.append(self._codes(name, count, *texts))
        size = self._at - start
        self._groups.append(
            struct(
                (1, LIST, listed(STRUCT, chunks)),
                (2, INT64, size),
                (3, INT64, count),
            )
        )
        self.rows += count
        rows.count = 0

    def _take(self, name: str, kind: str, numbers: Any, count: int) -> None:
        if name in SURE:
            self._packer.take_all(numbers, count)
        elif kind == "int64":
            self._packer.take_wide(numbers, count)
        else:
            self._packer.take_narrow(numbers, count)

    def _numbers(self, name: str, count: int) -> bytes:
        """Write a column of numbers; gives what the footer says of it."""
        at = self._at
        self._packer.deltas()
        size = self._page(count, DELTA_BINARY_PACKED)
        return _chunk(name, count, (at, None, at), (size, size), DELTA_BINARY_PACKED)

    def _codes(self, name: str, count: int, texts: Any, differ: int) -> bytes:
        """Write a column of texts, and first its dictionary; gives what the footer says of it."""
        at, size = self._at, len(texts)
        if name in LONG:
            texts = self._snappy.compress(texts, asbytes=True)
        head = struct(
            (1, INT32, DICTIONARY_PAGE),
            (2, INT32, size),
            (3, INT32, len(texts)),
            (7, STRUCT, struct((1, INT32, differ), (2, INT32, PLAIN))),
        )
        self._put(head, texts)
        data = self._at
        self._packer.codes(max(1, (differ - 1).bit_length()))
        page = self._page(count, RLE_DICTIONARY)
        sizes = page + len(head) + size, page + len(head) + len(texts)
        return _chunk(name, count, (at, at, data), sizes, RLE_DICTIONARY)

    def _page(self, count: int, encoding: int) -> int:
        """Write what is packed as a page; gives its size."""
        packer = self._packer
        size, levels = packer.at, packer.levels
        about = struct(
            (1, INT32, count),
            (2, INT32, count - packer.count),
            (3, INT32, count),
            (4, INT32, encoding),
            (5, INT32, levels),
            (6, INT32, 0),
            (7, BOOL, False),
        )
        head = struct(
            (1, INT32, DATA_PAGE_V2), (2, INT32, size), (3, INT32, size), (8, STRUCT, about)
        )
        self._put(head, self._out[:size])
        return len(head) + size

    def _put(self, head: bytes, page: Any) -> None:
        self._file.write(head)
        self._file.write(page)
        self._at += len(head) + len(page)

    def end(self, about: dict[str, str]) -> None:
        """Write the footer, with texts of ours in it."""
        known = {**about, "ARROW:schema": b64encode(schema().serialize()).decode()}
        footer = struct(
            (1, INT32, 2),
            (2, LIST, listed(STRUCT, _schema())),
            (3, INT64, self.rows),
            (4, LIST, listed(STRUCT, self._groups)),
            (
                5,
                LIST,
                listed(STRUCT, [struct((1, TEXT, k), (2, TEXT, v)) for k, v in known.items()]),
            ),
            (6, TEXT, "nwtsim"),
        )
        self._file.write(footer + len(footer).to_bytes(4, "little") + MAGIC)


class _Words:
    """The dictionary of a column with few texts, which only grows."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._count = -1
        self._texts = b""

    def texts(self) -> tuple[bytes, int]:
        """Give all texts as the format wants them, and how many they are."""
        count = self._names.count
        if count != self._count:
            self._count = count
            texts = [self._names.text(name).encode() for name in range(count)]
            self._texts = b"".join(len(one).to_bytes(4, "little") + one for one in texts)
        return self._texts, count


def _texts(used: Used) -> tuple[bytearray, int]:
    """Give the texts that a batch uses as the format wants them, and how many they are."""
    count = used.count
    size = used.size() + 4 * count
    texts = bytearray(size + 8)
    used.end_plain(texts)
    del texts[size:]
    return texts, count


def _schema() -> list[bytes]:
    root = struct((4, TEXT, "schema"), (5, INT32, len(COLUMNS)))
    return [root] + [
        struct(
            (1, INT32, TYPES[kind]),
            (3, INT32, REQUIRED if name in SURE else OPTIONAL),
            (4, TEXT, name),
            (6, INT32, UTF8 if kind == "text" else None),
        )
        for name, kind in COLUMNS.items()
    ]


def _chunk(
    name: str,
    count: int,
    places: tuple[int, int | None, int],
    sizes: tuple[int, int],
    encoding: int,
) -> bytes:
    """Give what the footer says of a column in a row group."""
    begin, dictionary, data = places
    encodings = {encoding, RLE, PLAIN} if dictionary is not None else {encoding, RLE}
    about = struct(
        (1, INT32, TYPES[COLUMNS[name]]),
        (2, LIST, listed(INT32, [bytes([2 * one]) for one in sorted(encodings)])),
        (3, LIST, listed(TEXT, [text(name)])),
        (4, INT32, SNAPPY if name in LONG else UNCOMPRESSED),
        (5, INT64, count),
        (6, INT64, sizes[0]),
        (7, INT64, sizes[1]),
        (9, INT64, data),
        (11, INT64, dictionary),
    )
    return struct((2, INT64, begin), (3, STRUCT, about))
