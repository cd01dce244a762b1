"""Suites of programs that came after the twenty: the tables of ``twenty.py``, with own targets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .timed import Record
from .twenty import CRITERIA, FOLDER, RESULTS, load_twenty, twenty_text, with_causes


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
        return with_causes(self.about, found, folder / self.causes)


def found_suites(folder: Path = FOLDER) -> list[tuple[str, Record, str]]:
    """Return name, results and file of targets of each suite that was measured."""
    first = folder / RESULTS.name
    return [
        *([("twenty", load_twenty(first), CRITERIA)] if first.exists() else []),
        *(
            (one.name, load_twenty(folder / one.results.name, one.format), one.criteria)
            for one in LATER
            if (folder / one.results.name).exists()
        ),
    ]


UNSEEN = Later(
    "unseen",
    """\
## Eight programs that no rule has seen

`unseen`. The rules that predict the time with a cure were made knowing the twenty; these eight were
written after those rules.""",
)
TEN = Later(
    "ten",
    """\
## Ten programs of ten languages and tools

`ten`. Written after the patterns for what the eight had missed. No earlier program does what they
do; some of the kinds (sleeping polls, mapped files, reads one at a time) were known when those
patterns were made.""",
)
MORE = Later(
    "more",
    """\
## Ten more programs

`more`. Collected from what is common, by someone who had read the table of patterns and the results
above, and none of the code of advice. No earlier program does what they do.""",
)
FURTHER = Later(
    "further",
    """\
## Ten further programs

`further`. By someone who had seen as much: eight with cures, and two that are well written.""",
)
FRESH = Later(
    "fresh",
    """\
## Ten fresh programs

`fresh`. By someone else who had seen as much: eight with cures, and two that are well written. No
earlier program does what they do.""",
)
LATER = (UNSEEN, TEN, MORE, FURTHER, FRESH)
