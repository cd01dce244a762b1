"""Arrays: disks that hold each other's data, so that one or two of them may fail."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from simulator.config.part import Part, spec_of
from simulator.config.quantities import Count, Rate, Size, Time
from simulator.config.section import Called, check, default
from simulator.config.sources import FREE, SINGLE, STILL
from simulator.kinds.dice import Dice
from simulator.kinds.parts.array.spec import PARITIES, ArraySpec, columns_of
from simulator.service import ServiceSpec
from simulator.units import LARGEST, Bytes, BytesPerSecond, Nanoseconds, format_size

Level = Annotated[Literal["mirror", "raid5", "raid6"], Called("level")]
Align = Annotated[Literal["stripe", "unit", "none"], Called("alignment")]
LEAST = {"mirror": 2, "raid5": 3, "raid6": 4}
MOST_DISKS = 256


class Array(Part):
    """A redundant array of disks: mirrors, RAID 5 or RAID 6, rebuilt when a disk was replaced."""

    uses = frozenset({"stage"})
    synonyms = {
        "latency": "rotation",
        "redundancy": "level",
        "raid": "level",
        "stripe": "unit",
        "chunk": "unit",
        "rebuild_rate": "rebuild",
        "alignment": "align",
    }
    what = "array of disks"
    order = "own"
    medium = True
    counted = True
    alone = True
    spec = ArraySpec
    inner = True
    many = True
    roles = {"device": 2}

    kind: Literal["array"]
    """Which kind of part this is."""
    disks: Count
    """Disks of one array, those with parity included."""
    level: Level
    """``mirror``: each two disks have the same data; ``raid5``, ``raid6``: a disk or two of each
    row hold parity, and as many may fail."""
    rate: Rate
    """Sustained rate of a disk."""
    capacity: Size
    """Of a disk: what is written again after it has failed."""
    seek: Time = default(Nanoseconds(0), STILL)
    """Average seek of a disk, paid by what does not continue what it did before."""
    rotation: Time = default(Nanoseconds(0), STILL)
    """Time of one rotation: half of it is waited for after a seek, a whole one before a disk writes
    what it has just read."""
    overhead: Time = default(Nanoseconds(0), FREE)
    """Time of one request to a disk beside positioning and transfer."""
    unit: Size = default(Bytes(512 << 10), "Linux md(4): 512 KiB is its chunk")
    """Bytes that lie together on one disk."""
    rebuild: Rate = default(
        BytesPerSecond(200e6),
        "Linux md(4): speed_limit_max of 200 MB/s, where nothing else is done",
    )
    """Rate at which a replaced disk is written at most."""
    rebuild_step: Size | None = None
    """Bytes that are rebuilt at a time; a unit if left out."""
    align: Align = default(
        "stripe", "ext4(5), stripe=: allocations begin at multiples of data disks x chunk"
    )
    """Where its file system has files begin that are large enough: ``stripe``, at a row of units
    (ext4); ``unit``, at a unit (XFS without swalloc); ``none``, where the file before ends."""
    count: Count = default(1, SINGLE)
    """Equal arrays in each node; files are placed on them in turn."""

    @check("unit")
    @staticmethod
    def _row_ends(unit: Bytes, disks: int) -> None:
        if unit * disks > LARGEST:
            about = f"{disks} units of {format_size(unit)} are 2**62 bytes or more"
            raise ValueError(f"{about}; write 1 TiB or less")

    @check("level")
    @staticmethod
    def _enough(level: str, disks: int) -> None:
        if disks < LEAST[level]:
            raise ValueError(f"{level} needs {LEAST[level]} disks or more, and there are {disks}")
        if disks > MOST_DISKS:
            raise ValueError(f"{disks} disks are more than the {MOST_DISKS} of an array")
        if level == "mirror" and disks % 2:
            raise ValueError(f"mirrors need an even number of disks, and there are {disks}")

    @property
    def devices(self) -> int:
        """Return how many arrays a node has."""
        return self.count

    @property
    def alignment(self) -> int:
        """Bytes at whose multiples a file begins that has as many on it, or more."""
        if self.align == "none":
            return 1
        units = columns_of(self.disks, PARITIES[self.level]) if self.align == "stripe" else 1
        return self.unit * units

    @property
    def parity_row(self) -> int:
        """Bytes of a row with parity, part of which is written after it was read; 0: none."""
        return self.alignment if self.level != "mirror" and self.align == "stripe" else 0

    def row(self) -> dict[str, Any]:
        """Return its specification; reads and writes have services of their own."""
        spec = spec_of(
            ArraySpec,
            self,
            parities=PARITIES[self.level],
            turn_ns=self.rotation,
            step=self.rebuild_step or self.unit,
            rebuild=round(self.rebuild),
        )
        service = ServiceSpec(self.rate)
        fields = {"spec": spec, "service": service, "writes": service, "servers": self.disks}
        return fields

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a small array, whose disks are soon rebuilt."""
        parities = dice.int(0, 2)
        disks = dice.some(2, 4) if not parities else dice.int(parities + 2, 6)
        unit = dice.some(8, 16, 100)
        spec = ArraySpec(
            disks=disks,
            parities=parities,
            unit=unit,
            capacity=dice.some(100, 5_000, 60_000),
            rate=1e9 / dice.some(1, 2, 6),
            overhead_ns=dice.some(0, 20),
            seek_ns=dice.some(0, 100, 500),
            turn_ns=dice.some(0, 60),
            step=dice.some(unit, 64, 1_000),
            rebuild=dice.some(10**9, 10**8, 1 << 40),
        )
        service = ServiceSpec(spec.rate)
        return {"spec": spec, "service": service, "writes": service, "servers": disks}

    @staticmethod
    def drawn_keys(dice: Dice) -> dict[str, Any]:
        """Draw as many disks as a level needs."""
        level = dice.some(*LEAST)
        return {"level": level, "disks": dice.some(4, 6, 8)}
