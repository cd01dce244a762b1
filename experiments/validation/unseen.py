"""Suites of programs that came after the twenty: the tables of ``twenty.py``, with own targets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .timed import Record
from .twenty import FOLDER, load_twenty, twenty_text, with_causes


@dataclass(frozen=True, slots=True)
class Later:
    """A suite, and the names of its files in ``experiments/reality``."""

    name: str
    about: str
    """Heading and text of its section of the page."""

    @property
    def format(self) -> str:
        """Format of its results."""
        return f"reality-{self.name}/1"

    @property
    def results(self) -> Path:
        """File of its results."""
        return FOLDER / f"{self.name}.json"

    @property
    def criteria(self) -> str:
        """Name of the file of its targets."""
        return f"{self.name}-criteria.yaml"

    @property
    def causes(self) -> str:
        """Name of the file with the causes of what was missed, by program."""
        return f"{self.name}-causes.yaml"

    def text(self, found: Record) -> str:
        """Write the tables, and their interpretation, in Markdown."""
        return twenty_text(found, self.criteria)

    def section(self, folder: Path = FOLDER) -> str:
        """Return the section of the page, of files in ``folder``; empty without results."""
        path = folder / self.results.name
        if not path.exists():
            return ""
        found = load_twenty(path, self.format)
        return with_causes(self.about, found, folder / self.causes, self.criteria)


UNSEEN = Later(
    "unseen",
    """\
## Eight programs that no rule has seen

The rules that predict the time with a cure were made knowing the twenty. These eight, their cures
and what counts (`unseen-criteria.yaml`) were written after those rules, and before any of the eight
was predicted (`--suite unseen`).""",
)
TEN = Later(
    "ten",
    """\
## Ten programs of ten languages and tools

Written after the patterns for what the eight had missed, and committed with their cures and what
counts (`ten-criteria.yaml`) before any was recorded (`--suite ten`). No earlier program does what
they do; some of the kinds (sleeping polls, mapped files, reads one at a time) were known when those
patterns were made.""",
)
MORE = Later(
    "more",
    """\
## Ten more programs

Collected from what is common, by someone who had read the table of patterns and the results above,
and none of the code of advice; committed with their cures and what counts (`more-criteria.yaml`)
before any was recorded (`--suite more`). No earlier program does what they do.""",
)
FURTHER = Later(
    "further",
    """\
## Ten further programs

As the ten above, by someone who had seen as much: eight with cures, and two that are well written
(`further-criteria.yaml`, `--suite further`).""",
)
FRESH = Later(
    "fresh",
    """\
## Ten fresh programs

By someone else who had read the table of patterns and the results above, and none of the code of
advice: eight with cures, and two that are well written. Committed with what counts
(`experiments/reality/fresh-criteria.yaml`) before any of them was recorded (`--suite fresh`). No
earlier program does what they do. Columns are those of the twenty.""",
)
