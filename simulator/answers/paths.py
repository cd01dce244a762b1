"""The path of a machine to a trace's files: units, closing, stores."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine

MOST_UNITS = 4
LEAST_UNIT = 512


class MachinePath:
    """One path of a file system of a machine."""

    def __init__(self, machine: Machine, filesystem: str, path: str = "") -> None:
        """``path`` is the name of one; empty if the file system has but one."""
        self._machine = machine
        self._system = machine.filesystems[filesystem]
        self._path = self._system.ways()[path][1]

    @property
    def close_flushes(self) -> bool:
        """True if closing a file waits until what was written is on the device."""
        return self._system.close == "flush"

    @cached_property
    def units(self) -> tuple[int, ...]:
        """Sizes that requests had better be aligned with: blocks, stripes, requests; in bytes."""
        found = {unit for unit in self._units() if unit >= LEAST_UNIT}
        return tuple(sorted(found)[:MOST_UNITS])

    def _units(self) -> Iterator[int]:
        for tier in self._path.tiers:
            for key in ("stripe", "request", "unit"):
                size = getattr(tier, key, None)
                if isinstance(size, int):
                    yield size
            for store in self._stores_of(tier):
                yield store.block

    def _stores_of(self, tier: Any) -> Iterator[Any]:
        for _, name, _ in tier.mentions():
            if name in self._machine.stores:
                yield self._machine.stores[name]

    @property
    def stages(self) -> str:
        """The first store of the path, if files can be staged into it; else empty.

        That is not the page cache of a process's own node, in front of which are only copies.
        """
        machine = self._machine
        processes = next(iter(machine.nodes), "")
        alone = sum(group.count for group in machine.nodes.values()) == 1
        tiers = self._path.tiers
        served = False
        for number, tier in enumerate(tiers):
            # Where syncs are answered, what follows keeps what it has.
            served = served or getattr(tier, "export", "") == "async"
            for _, name, _ in tier.mentions():
                store = machine.stores.get(name)
                if store is not None:
                    at = (processes,) if not store.groups and alone else store.groups
                    own = processes in at and not served
                    return "" if own else name
                part = machine.parts.get(name)
                if part is None or part.order == "all":
                    continue
                # Of its own node a part in front is memory, unless it is the store's device too.
                behind = (one for later in tiers[number + 1 :] for _, one, _ in later.mentions())
                local = set(part.at or (processes,)) == {processes}
                served = served or not local or name in behind
        return ""
