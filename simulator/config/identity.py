"""One short text that is the same exactly if two inputs mean the same."""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import fields, is_dataclass
from typing import Any

from simulator.config.section import Section, cached, fields_of

_NAMES = {"name", "title", "references"}
"""What people call a file, and what they cite, changes no result."""

_ENCODE = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode
_MOST = 4096
_texts: dict[int, tuple[object, str]] = {}
"""What sections say, by their identity: variants of one file share most of theirs."""


def digest_of(*inputs: Section | str) -> str:
    """Return the SHA-256 of all values of some files, and of texts that stand for others."""
    parts = [json.dumps(one) if isinstance(one, str) else _file(one) for one in inputs]
    return hashlib.sha256(f"[{','.join(parts)}]".encode("ascii")).hexdigest()


def _file(one: Section) -> str:
    """Return a whole file as JSON, without its names."""
    return _of_keys(one, _file_keys(type(one)))


_Keys = tuple[tuple[str, str, bool], ...]


@cached
def _keys(section: type[Section]) -> _Keys:
    """Return the keys of a section in their order, as JSON, and whether each came later."""
    keys = sorted(fields_of(section))
    return tuple((key, f"{_ENCODE(key)}:", key in section.later) for key in keys)


@cached
def _file_keys(section: type[Section]) -> _Keys:
    return tuple(one for one in _keys(section) if one[0] not in _NAMES)


def _of_keys(section: Section, keys: _Keys) -> str:
    """Return a section as JSON, but for later keys that say what was so before they were there."""
    mine, kind = vars(section), type(section)
    known = _texts.get
    parts = [
        head + (there[1] if (there := known(id(mine[key]))) else _text(mine[key]))
        for key, head, later in keys
        if not later or mine[key] != getattr(kind, key)
    ]
    return f"{{{','.join(parts)}}}"


@functools.lru_cache(1 << 8)
def _heads(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return names in their order, with each as JSON."""
    return tuple((name, f"{_ENCODE(name)}:") for name in sorted(names))


def _joined(parts: dict[str, Any]) -> str:
    """Return parts as JSON, by their names."""
    known = _texts.get
    inner = [
        head + (there[1] if (there := known(id(parts[name]))) else _text(parts[name]))
        for name, head in _heads(tuple(parts))
    ]
    return f"{{{','.join(inner)}}}"


def _text(part: Any) -> str:
    """Return a part of a file as JSON."""
    key = id(part)
    known = _texts.get(key)
    if known is None:
        if len(_texts) >= _MOST:
            _texts.clear()
        # The part itself is kept too, so that no other gets its identity.
        known = _texts[key] = (part, _made(part))
    return known[1]


def _made(part: Any) -> str:
    """The text of a part; those of sections and their values are kept by themselves."""
    if isinstance(part, Section):
        return _of_keys(part, _keys(type(part)))
    if isinstance(part, dict) and any(isinstance(one, Section) for one in part.values()):
        return _joined(part)
    if isinstance(part, list | tuple) and any(isinstance(one, Section) for one in part):
        return f"[{','.join(map(_text, part))}]"
    return _ENCODE(values_of(part))


def values_of(value: Any) -> Any:
    """Return a section as a mapping of plain values, as JSON has them."""
    if isinstance(value, Section):
        return {key: values_of(getattr(value, key)) for key in fields_of(type(value))}
    if names := _names_of(value.__class__):
        return {name: values_of(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {key: values_of(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [values_of(one) for one in value]
    return value


@functools.cache
def _names_of(kind: type[object]) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass; none of another class."""
    return tuple(one.name for one in fields(kind)) if is_dataclass(kind) else ()
