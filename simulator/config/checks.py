"""Names in a file that must fit each other: checked on its plain texts.

These checks see a file whose other values may all be wrong, so that one reading reports every
mistake. They look at names, and at sizes where those can be read.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simulator.config.errors import Path, did_you_mean
from simulator.unit_names import shown
from simulator.units import format_size, parse_size

Fault = tuple[Path, str]
"""Where something is wrong, and what."""

Plain = dict[str, Any]
"""A section as :mod:`simulator.config.plain` gives it: None stands for what is wrong."""

Written = dict[str, int | None]
"""Bytes written to each file; None if that cannot be read."""


def machine_faults(machine: Plain) -> Iterator[Fault]:
    """Find storage named like other parts, file systems on none, and NFS without a LAN."""
    storage = _section(machine, "storage")
    for name in storage:
        if name[-1:].isdigit() or name == "pe":
            about = (
                f"reports would call its volumes {name}0, {name}1, ..., like other resources;"
                " write another"
            )
            yield ("storage", name), about
    for name, filesystem in _section(machine, "filesystems").items():
        wanted = _text(filesystem, "storage")
        if wanted is not None and wanted not in storage:
            about = f"{shown(wanted)} is not in storage; {did_you_mean(wanted, storage)}"
            yield ("filesystems", name, "storage"), about
    if "nfs" in machine and "lan" not in machine:
        yield ("nfs",), "needs a LAN; write a section 'lan:', or omit nfs"


def workload_faults(workload: Plain) -> Iterator[Fault]:
    """Find jobs that cannot be done: of one name, without a record size, with files not there."""
    files = _section(workload, "files")
    for name, file in files.items():
        if _flag(file, "prestage") is True and _flag(file, "exists") is False:
            yield ("files", name, "prestage"), "needs a file that exists; write 'exists: true' too"
    if "jobs" not in workload and "traced" not in workload:
        yield ("jobs",), "is missing; write a list of items"
    if "jobs" in workload and "traced" in workload:
        yield ("traced",), "is instead of jobs; leave one of them out"
    if _text(_section(workload, "traced"), "path") == "svio":
        yield ("traced", "path"), "svio is for printed output; write scfs or nfs"
    jobs = workload.get("jobs") or []
    writes = [_written(_transfers(job, files)) for job in jobs]
    seen: dict[str, int] = {}
    for index, job in enumerate(jobs):
        called = _text(job, "name")
        if called is not None and seen.setdefault(called, index) != index:
            about = f"{shown(called)} is the name of item {seen[called]} too; write another"
            yield ("jobs", index, "name"), about
        others = [one for other, one in enumerate(writes) if other != index]
        for path, about in _job_faults(job, files, others):
            yield ("jobs", index, *path), about


@dataclass(frozen=True)
class _Transfer:
    """A phase that reads or writes, as far as it can be read."""

    index: int
    does: str
    name: str | None
    size: int | None
    """None: it cannot be read."""
    says_size: bool


def _job_faults(job: Any, files: Plain, others: list[Written]) -> Iterator[Fault]:
    transfers = _transfers(job, files)
    for one in transfers:
        if "record" not in job and "record" not in job["phases"][one.index]:
            about = f"is missing though phase {one.index} does {one.does}; write 'record: 64 kB'"
            yield ("record",), about
            break
    for number, one in enumerate(transfers):
        at: Path = ("phases", one.index)
        if one.name is None:
            continue
        if one.name not in files:
            about = f"{shown(one.name)} is not in files; {did_you_mean(one.name, files)}"
            yield (*at, "file"), about
        elif one.does == "read":
            before = [_written(transfers[:number])]
            if _flag(files[one.name], "shared"):
                before += others
            if wrong := _read_fault(one, files[one.name], before):
                yield (*at, wrong[0]), wrong[1]


def _read_fault(read: _Transfer, file: Any, before: list[Written]) -> tuple[str, str] | None:
    """Say what is wrong with a read of ``file`` after these writes: the key, and the message."""
    assert read.name is not None
    size = _size(file, "size")
    if read.size is not None and size is not None and read.size > size:
        most = format_size(size)
        return "size", f"reads {format_size(read.size)} of a file of {most}; write {most} or less"
    if _flag(file, "exists") is not False:
        return None
    writes = [written[read.name] for written in before if read.name in written]
    if not writes:
        about = f"{shown(read.name)} neither exists nor is written before; write 'exists: true' in"
        return "file", f"{about} files.{read.name}, or a phase that writes it first"
    if read.size is None or None in writes:
        return None
    written = sum(one for one in writes if one is not None)
    if read.size > written:
        about = f"reads {format_size(read.size)}, but only {format_size(written)} is written before"
        return "size" if read.says_size else "file", f"{about}; write a smaller size here"
    return None


def _transfers(job: Any, files: Plain) -> list[_Transfer]:
    """List the phases of a job that read or write."""
    found = []
    phases = job.get("phases") if isinstance(job, dict) else None
    for index, phase in enumerate(phases or []):
        does = _text(phase, "do")
        if does in ("read", "write"):
            name = _text(phase, "file")
            says_size = "size" in phase
            size = _size(phase if says_size else files.get(name or ""), "size")
            found.append(_Transfer(index, does, name, size, says_size))
    return found


def _written(transfers: list[_Transfer]) -> Written:
    """Add up what is written to each file."""
    written: Written = {}
    for one in transfers:
        if one.does == "write" and one.name is not None:
            before = written.get(one.name, 0)
            written[one.name] = None if before is None or one.size is None else before + one.size
    return written


def _section(plain: Any, key: str) -> Plain:
    inner = plain.get(key) if isinstance(plain, dict) else None
    return inner if isinstance(inner, dict) else {}


def _text(plain: Any, key: str) -> str | None:
    """Give a text, as the name it stands for; None if there is none."""
    inner = plain.get(key) if isinstance(plain, dict) else None
    return unicodedata.normalize("NFC", inner) if isinstance(inner, str) else None


def _flag(plain: Any, key: str) -> bool | None:
    """Give a flag, false if left out; None if it cannot be read."""
    if isinstance(plain, dict) and key not in plain:
        return False
    text = _text(plain, key)
    return text == "true" if text in ("true", "false") else None


def _size(plain: Any, key: str) -> int | None:
    """Give a size; None if it cannot be read."""
    try:
        return parse_size(_text(plain, key) or "")
    except ValueError:
        return None
