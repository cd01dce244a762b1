"""One short text that is the same exactly if two inputs mean the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from simulator.config.machine import Machine
from simulator.config.precedence import filesystem_of
from simulator.config.section import Section
from simulator.config.workload import Workload

_NAMES = {"name", "title", "references"}
"""What people call a file, and what they cite, changes no result."""

_ENCODE = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode
_MOST = 4096
_texts: dict[tuple[int, tuple[str, ...]], tuple[object, str]] = {}
"""What sections say, by their identity: variants of one file share most of theirs."""


def digest(machine: Machine, workload: Workload) -> str:
    """Give the SHA-256 of all values, in hexadecimal.

    The order of keys, comments, anchors, sources, notes, titles, and how a unit is spelt
    (``1 GB`` or ``1000 MB``) make no difference; nor does writing down a default.
    """
    homes = tuple(filesystem_of(machine, file) for file in workload.files.values())
    parts = {key: _text(getattr(machine, key)) for key in _keys(machine)}
    keys = _keys(workload) - {"files"}
    if workload.traced is None:
        keys -= {"traced"}
    jobs = {key: _text(getattr(workload, key)) for key in keys}
    jobs["files"] = _text(workload.files, homes)
    text = f'{{"machine":{_joined(parts)},"workload":{_joined(jobs)}}}'
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def digest_of(*inputs: Section | str) -> str:
    """Give the SHA-256 of all values of some files, and of texts that stand for others."""
    parts = [
        json.dumps(one)
        if isinstance(one, str)
        else _joined({key: _text(getattr(one, key)) for key in _keys(one)})
        for one in inputs
    ]
    return hashlib.sha256(f"[{','.join(parts)}]".encode("ascii")).hexdigest()


def digest_of_machine(machine: Machine) -> str:
    """Give the SHA-256 of all values of a machine alone."""
    parts = {key: _text(getattr(machine, key)) for key in _keys(machine)}
    return hashlib.sha256(_joined(parts).encode("ascii")).hexdigest()


def _keys(section: Section) -> set[str]:
    return type(section).model_fields.keys() - _NAMES


def _joined(parts: dict[str, str]) -> str:
    inner = ",".join(f'"{key}":{parts[key]}' for key in sorted(parts))
    return f"{{{inner}}}"


def _text(part: Any, homes: tuple[str, ...] = ()) -> str:
    """A part of a file as JSON; ``homes`` are the file systems of its files, if it has any."""
    key = (id(part), homes)
    known = _texts.get(key)
    if known is None:
        if len(_texts) >= _MOST:
            _texts.clear()
        # The part itself is kept too, so that no other gets its identity.
        known = _texts[key] = (part, _write(part, homes))
    return known[1]


def _write(part: Any, homes: tuple[str, ...]) -> str:
    plain = _plain(part)
    for name, home in zip(plain, homes, strict=True) if homes else ():
        plain[name]["filesystem"] = home
    return _ENCODE(plain)


def _plain(part: Any) -> Any:
    """What JSON can hold of a value of a section."""
    if isinstance(part, Section):
        return part.model_dump(mode="json")
    if isinstance(part, dict):
        return {name: _plain(one) for name, one in part.items()}
    if isinstance(part, list | tuple):
        return [_plain(one) for one in part]
    return part
