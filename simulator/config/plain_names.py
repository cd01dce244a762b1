"""Names in a machine file that stand for nothing, found on its plain texts.

These checks see a file whose other values may be wrong, so that one reading reports every mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from simulator.config.errors import Fault, Path, Plain, did_you_mean
from simulator.unit_names import shown


def plain_name_faults(plain: Plain) -> Iterator[Fault]:
    """Find groups, parts and stores that are named and not there."""
    if any(key in plain and plain[key] is None for key in ("nodes", "parts", "stores")):
        return  # A list instead, for example: what is in it has no names here.
    nodes = list(_section(plain, "nodes")) if "nodes" in plain else ["node"]
    parts = _section(plain, "parts")
    stores = {**_section(plain, "stores"), **_section(plain, "buffer_caches")}
    for kind in ("parts", "stores", "buffer_caches"):
        named = _section(plain, kind)
        for name, one in named.items():
            at = one.get("at") if isinstance(one, dict) else None
            for group in [at] if isinstance(at, str) else at or ():
                yield from _missing((kind, name, "at"), group, "a group of nodes", nodes)
    names = {
        "group": ("a group of nodes", nodes),
        "members": ("a group of nodes or a part", [*nodes, *parts]),
        "tier": ("a part or a store", [*parts, "cpu", *stores]),
        "part": ("a part", [*parts, "cpu", *stores]),  # A store is found again, as such.
    }
    for where, used, wanted in _mentions(plain):
        yield from _missing(where, used, *names[wanted])


def _missing(at: Path, name: object, what: str, known: list[str]) -> Iterator[Fault]:
    if isinstance(name, str) and name not in known:
        yield at, f"{shown(name)} is not {what}; {did_you_mean(name, known)}"


def _mentions(plain: Plain) -> Iterator[tuple[Path, object, str]]:
    for name, system in _section(plain, "filesystems").items():
        at: Path = ("filesystems", name)
        yield from _lists(at, system, ("tiers", "metadata"))
        for way, path in _section(system, "paths").items():
            yield from _lists((*at, "paths", way), path, ("tiers", "drain"))
    yield from _lists((), plain, ("messages",))


def _lists(at: Path, plain: Any, keys: Iterable[str]) -> Iterator[tuple[Path, object, str]]:
    for key in keys:
        for index, tier in enumerate(_items(plain, key)):
            yield from _tier((*at, key, index), tier)


_PARTS = ("work", "hold", "server", "sync")
_KEYS = {"use": "tier", "forward": "group", **dict.fromkeys(_PARTS, "part")}


def _tier(at: Path, tier: Any) -> Iterator[tuple[Path, object, str]]:
    """Yield the names in a tier; what ``over`` means depends on the tier."""
    if not isinstance(tier, dict):
        return
    for key, wanted in _KEYS.items():
        yield (*at, key), tier.get(key), wanted
    yield (*at, "of"), tier.get("of"), "members"
    if "pieces" in tier:
        yield (*at, "over"), tier.get("over"), "part"
    for index, item in enumerate(_items(tier, "stage")):
        if isinstance(item, dict):
            yield (*at, "stage", index, "part"), item.get("part"), "part"
            yield (*at, "stage", index, "to"), item.get("to"), "group"
    for index, stage in enumerate(_items(tier, "route")):
        yield from _tier((*at, "route", index), stage)


def _section(plain: Any, key: str) -> Plain:
    inner = plain.get(key) if isinstance(plain, dict) else None
    return inner if isinstance(inner, dict) else {}


def _items(plain: Any, key: str) -> list[Any]:
    inner = plain.get(key) if isinstance(plain, dict) else None
    return inner if isinstance(inner, list) else []
