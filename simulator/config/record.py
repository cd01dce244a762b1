"""Records of a job: one size, sizes in turn or drawn at random; and where they begin in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from simulator.config.errors import Fault, PartsError
from simulator.config.quantities import (
    Leaf,
    SizeOrNone,
    each,
    keyed,
    keyed_schema,
    not_text,
    word_or,
)
from simulator.config.section import leaf_of
from simulator.errors import nearest
from simulator.units import NUMERAL, SIZE, Bytes, format_size, parse_number, parse_size, shown

EXAMPLE = "64 kB"
MOST_SPREAD = 1000.0
LARGEST_RECORD = Bytes(1 << 60)
"""With its lengths it is in a file of 2**61 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UniformRecord:
    """Sizes drawn evenly between two, both included."""

    draw: Literal["uniform"] = "uniform"
    from_: Bytes
    """The smallest size (``from`` in the file)."""
    to: Bytes
    """The largest size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LognormalRecord:
    """Sizes whose logarithm is normally distributed, up to a largest one."""

    draw: Literal["lognormal"] = "lognormal"
    median: Bytes
    """Half of the sizes are smaller."""
    spread: float
    """The factor from the median to one standard deviation above it; 1 is no spread."""
    largest: Bytes
    """What is drawn larger becomes this size."""


Record = Bytes | tuple[Bytes, ...] | UniformRecord | LognormalRecord
"""One size; sizes in turn, over and over; or sizes drawn at random."""


def usual_size(record: Record) -> int:
    """Return the size that records have in the mean, or half of drawn ones at most; bytes.

    >>> usual_size((Bytes(1), Bytes(4)))
    2
    """
    if isinstance(record, UniformRecord):
        return (record.from_ + record.to) // 2
    if isinstance(record, LognormalRecord):
        return record.median
    return sum(record) // len(record) if isinstance(record, tuple) else record


_KEYS = {"uniform": ("from", "to"), "lognormal": ("median", "spread", "largest")}
_EXAMPLES = {
    "uniform": "{draw: uniform, from: 1 kB, to: 1 MB}",
    "lognormal": "{draw: lognormal, median: 64 kB, spread: 2, largest: 8 MB}",
}


def read_record(value: object) -> Record:
    """Read a size, a list of sizes or a draw; ValueError if it is none, PartsError in its parts."""
    if isinstance(value, UniformRecord | LognormalRecord):
        return value
    if isinstance(value, dict):
        return _read_draw(value)
    if isinstance(value, list | tuple):
        return _read_sizes(value)
    return _read_size(value)


def _read_size(value: object) -> Bytes:
    if isinstance(value, str):
        size = parse_size(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        size = Bytes(value)
    else:
        raise ValueError(not_text(value, EXAMPLE))
    if size > LARGEST_RECORD:
        about = f"{shown(str(value))} is larger than any file of records"
        raise ValueError(f"{about}; write {format_size(LARGEST_RECORD)} or less")
    if size < 1:
        raise ValueError(f"{shown(str(value))} is not a size of a record; write 1 B or more")
    return size


def _read_sizes(value: list[object] | tuple[object, ...]) -> tuple[Bytes, ...]:
    if not value:
        raise ValueError("the list is empty; write one size or more, like '[64 kB, 1 MB]'")
    return tuple(each(_read_size, enumerate(value)).values())


def _read_draw(value: dict[Any, Any]) -> Record:
    draw = value.get("draw")
    if not isinstance(draw, str) or draw not in _KEYS:
        read = f"{shown(str(draw))} is unknown" if "draw" in value else "draw is missing"
        wrong = ("draw",) if "draw" in value else ()
        near = nearest(str(draw), _KEYS)
        if near is None:
            raise PartsError([(wrong, f"{read}; write {' or '.join(_EXAMPLES.values())}")])
        faults: list[Fault] = [(wrong, f"{read}; did you mean {near!r}?")]
        try:
            _read_draw({**value, "draw": near})
        except PartsError as error:
            faults += error.faults
        raise PartsError(faults)
    keys = _KEYS[draw]
    readers = {key: _read_spread if key == "spread" else _read_size for key in keys}
    given = {key: one for key, one in value.items() if key != "draw"}
    parts: dict[str, Any] = keyed(given, readers, _EXAMPLES[draw])
    small, large = keys[0], keys[-1]
    if parts[small] > parts[large]:
        about = f"{format_size(parts[large])} is less than {small}"
        raise PartsError([((large,), f"{about}; write {format_size(parts[small])} or more")])
    if draw == "uniform":
        return UniformRecord(from_=parts["from"], to=parts["to"])
    return LognormalRecord(**parts)


def _read_spread(value: object) -> float:
    if not isinstance(value, str):
        raise ValueError(not_text(value, "2"))
    spread = parse_number(value)
    if not 1 <= spread <= MOST_SPREAD:
        raise ValueError(f"{shown(value)} is out of range; write a factor of 1 to {MOST_SPREAD:g}")
    return spread


def show_record(record: Record) -> str:
    """Write a record size as in a file."""
    if isinstance(record, UniformRecord):
        return f"{{draw: uniform, from: {format_size(record.from_)}, to: {format_size(record.to)}}}"
    if isinstance(record, LognormalRecord):
        sizes = f"median: {format_size(record.median)}, spread: {record.spread:g}"
        return f"{{draw: lognormal, {sizes}, largest: {format_size(record.largest)}}}"
    if isinstance(record, tuple):
        return f"[{', '.join(map(format_size, record))}]"
    return format_size(record)


def _schema() -> dict[str, Any]:
    size = {"type": "string", "pattern": f"^ *{NUMERAL} *({'|'.join(SIZE.scales)}) *$"}
    factor = {
        "anyOf": [{"type": "number", "minimum": 1, "maximum": MOST_SPREAD}, {"type": "string"}]
    }
    draws = [
        keyed_schema(
            {
                "draw": {"const": draw},
                **{key: factor if key == "spread" else size for key in keys},
            }
        )
        for draw, keys in _KEYS.items()
    ]
    return {"anyOf": [size, {"type": "array", "items": size, "minItems": 1}, *draws]}


RecordSize = Annotated[
    Record, Leaf("record", EXAMPLE, read_record, show_record, _schema(), keyed=True)
]

RANK, INTERLEAVED = "rank", "interleaved"
Offset = Annotated[
    Bytes | str,
    word_or(
        "offset",
        leaf_of(SizeOrNone),
        {RANK: RANK, INTERLEAVED: INTERLEAVED},
        example="10 MB",
    ),
]
"""Where a process begins in a file: a number of bytes, ``rank`` or ``interleaved``."""
