"""The sections of a machine file that say what keeps data: the SSU, disks, arrays and tapes.

Sizes are bytes, times nanoseconds, rates bytes per second, percentages fractions of 1.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from simulator.config.quantities import (
    Count,
    Percent,
    Rate,
    Size,
    Time,
    show_percent,
    word,
    words,
)
from simulator.config.section import Section
from simulator.units import Bytes, Nanoseconds, format_size, format_time

Start = Literal["mark", "eager", "close", "rewrite"]
Starts = Annotated[tuple[Start, ...], words("starts", "mark", "eager", "close", "rewrite")]


class Writeback(Section):
    """When and how written units go from the SSU to the disk."""

    start: Starts
    """What starts it: dirt above a mark, each write (eager), a close, a rewrite of a record."""
    workers: Count
    """Units written back at one time."""
    high_mark: Percent
    """Dirty part of the capacity above which write-back starts, if it starts at a mark."""
    low_mark: Percent
    """Dirty part at which it stops; at most the high mark."""

    @field_validator("low_mark")
    @classmethod
    def _marks_are_in_order(cls, low: float, info: ValidationInfo) -> float:
        high = info.data.get("high_mark")
        if high is not None and low > high:
            raise ValueError(
                f"{show_percent(low)} is above the high watermark; write"
                f" {show_percent(high)} or less"
            )
        return low


class Ssu(Section):
    """The system storage unit: semiconductor memory that caches files in units."""

    unit: Size
    """What is moved and replaced at a time."""
    capacity: Size
    """All its memory; a whole number of units."""
    channels: Count
    """Transfers it can take each way at one time."""
    ports: Count = 1
    """Its ports on the crossbar, alike and in one queue: of many servers, one for each."""
    read_rate: Rate
    """Rate of one channel towards the PEs."""
    write_rate: Rate
    """Rate of one channel from the PEs."""
    request_overhead: Time
    """Time of one request for one unit, beside its transfer."""
    share: Size | None = None
    """What the written units of one file may hold: whole units; no limit if left out."""
    release: Annotated[Literal["none", "whole", "full"], word("release", "none", "whole", "full")]
    """Past its share, which written units a file gives up once they are on disk: none, those that
    one call wrote whole, or all that are full."""
    writeback: Writeback

    @field_validator("capacity", "share")
    @classmethod
    def _whole_units(cls, size: Bytes | None, info: ValidationInfo) -> Bytes | None:
        unit, capacity = info.data.get("unit"), info.data.get("capacity")
        if size is None:
            return None
        if unit is not None and size % unit:
            units = f"a whole number of units of {format_size(unit)}"
            least = format_size(max(size // unit, 1) * unit)
            raise ValueError(
                f"{format_size(size)} is not {units}; write {least}, or change the unit"
            )
        if info.field_name == "share" and capacity is not None and size > capacity:
            most = format_size(capacity)
            raise ValueError(f"{format_size(size)} is more than the capacity; write {most} or less")
        return size


class Disk(Section):
    """Volumes that are single disks: one arm each."""

    kind: Literal["disk"]
    """Which kind of storage this is."""
    count: Count
    """Volumes."""
    capacity: Size
    """Of one volume."""
    rate: Rate
    """Sustained rate of the medium."""
    seek: Time = Nanoseconds(0)
    """Average seek, paid by a request that does not continue the one before."""
    track_seek: Time | None = None
    """Seek to the next track; with ``full_seek`` a seek grows linearly with its distance."""
    full_seek: Time | None = Field(default=None, validate_default=True)
    """Seek over the whole disk."""
    turn: Time = Nanoseconds(0)
    """Time of one rotation."""
    rotation: Annotated[Literal["mean", "drawn"], word("rotation", "mean", "drawn")] = "mean"
    """The wait for the sector: half a turn each time, or drawn from none to a whole one."""
    overhead: Time = Nanoseconds(0)
    """Time of one request beside positioning and transfer."""

    @field_validator("full_seek")
    @classmethod
    def _both_seeks(cls, full: Nanoseconds | None, info: ValidationInfo) -> Nanoseconds | None:
        if "track_seek" not in info.data:  # It is wrong itself.
            return full
        track, average = info.data["track_seek"], info.data.get("seek", 0)
        if (track is None) != (full is None):
            there, lacking = ("track", "full") if full is None else ("full", "track")
            raise ValueError(f"{there}_seek is here without {lacking}_seek; write both or neither")
        if full is not None and track > full:
            raise ValueError(
                f"{format_time(full)} is less than track_seek; write {format_time(track)} or more"
            )
        if full is not None and average and not track <= average <= full:
            raise ValueError(
                f"seek ({format_time(average)}) is not between track_seek and this; leave it out"
            )
        return full


class Array(Section):
    """Volumes that are disk arrays, each seen as one fast disk."""

    kind: Literal["array"]
    """Which kind of storage this is."""
    count: Count
    """Volumes."""
    capacity: Size
    """Of one volume."""
    rate: Rate
    """Sustained rate of one volume."""
    overhead: Time = Nanoseconds(0)
    """Time of one request beside positioning and transfer."""
    seek: Time = Nanoseconds(0)
    """Average seek, paid by a request that does not continue the one before."""
    turn: Time = Nanoseconds(0)
    """Time of one rotation."""


class Tape(Section):
    """Tape drives; a file is read or written from its beginning, after a mount."""

    kind: Literal["tape"]
    """Which kind of storage this is."""
    count: Count
    """Drives."""
    rate: Rate
    """Rate of one drive."""
    mount: Time
    """Time until a tape is ready."""
    overhead: Time = Nanoseconds(0)
    """Time of one request beside mount and transfer."""


Storage = Annotated[Disk | Array | Tape, Field(discriminator="kind")]
