"""A change of all runs of a study: to remove a mechanism, or to try another assumption."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from simulator.config.errors import ConfigError
from simulator.config.settings import called

Settings: TypeAlias = tuple[tuple[str, str], ...]
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Change:
    """Settings of all plans, another file system, and other jobs or workloads."""

    settings: Settings = ()
    """With full paths; the settings of single runs come after them."""
    filesystem: str = ""
    """The file system of all files, if not that of the study."""
    jobs: Mapping[str, str] = field(default_factory=dict)
    """Job or workload -> the one that is run in its place."""

    @property
    def of_machine(self) -> Settings:
        """The settings of the machine."""
        return tuple(one for one in self.settings if one[0].startswith("machine."))

    def job(self, name: str) -> str:
        """Return the job or workload that is run in place of another."""
        return self.jobs.get(name, name)

    def made(self, make: Callable[[Settings], Made], own: Sequence[tuple[str, str]] = ()) -> Made:
        """Make something with the settings of the change, and then those of a single run.

        A setting of the workload is left out if the workload at hand does not know it.
        """
        if self.of_machine == self.settings:
            return make((*self.settings, *own))
        try:
            return make((*self.settings, *own))
        except ConfigError as error:
            unknown = {one.file for one in error.problems if one.message.startswith("no ")}
            known = tuple(
                one for one in self.settings if one in self.of_machine or called(one) not in unknown
            )
            if known == self.settings:
                raise
            return make((*known, *own))

    def of_site(self, site: str) -> tuple[Settings, Settings]:
        """Return the settings of one site, and those of all; the path of the former names it."""
        head = f"{site}:"
        mine = tuple(
            (path.removeprefix(head), text) for path, text in self.settings if path.startswith(head)
        )
        return mine, tuple(one for one in self.settings if ":" not in one[0])

    def __hash__(self) -> int:
        return hash((self.settings, self.filesystem, tuple(self.jobs.items())))


NOTHING = Change()
"""The study as it is."""
