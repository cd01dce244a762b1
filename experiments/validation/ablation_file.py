"""``experiments/<study>/ablations.yaml``: ablations of claims, and facts with other values.

Each testable claim has changes of all its runs that must change its verdict; facts printed by the
paper have another value, with the verdicts that it changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Literal

from simulator.config.errors import Fault, Path
from simulator.config.fit_file import SettingText
from simulator.config.load import Kind
from simulator.config.quantities import FileName, Text, word
from simulator.config.section import Section
from simulator.config.sources import Document
from simulator.errors import InputError, did_you_mean
from simulator.shipped import shipped_root
from simulator.study.change import Change
from simulator.study.study_file import Sentence, StudyFile, load_study_file


class StudyChange(Section):
    """A change of all runs."""

    set: dict[str, SettingText] = {}
    """Settings, by their full paths."""
    filesystem: Text = ""
    """Another file system for all files."""
    jobs: dict[str, Text] = {}
    """Jobs or workloads, and their replacements."""

    @property
    def change(self) -> Change:
        """The change of the runs."""
        return Change(tuple(self.set.items()), self.filesystem, self.jobs)


class Ablation(StudyChange):
    """A change of all runs of a claim that must change its verdict."""

    without: Text
    """The removed mechanism, in words."""
    breaks: Text = ""
    """The condition that it breaks, if the claim is contradicted without the ablation."""


class Fact(StudyChange):
    """A fact printed by the paper, with another value of it."""

    fact: Text
    """The fact as printed."""
    ref: Text
    """Its location in the paper."""
    moves: tuple[Text, ...]
    """Ids of the figures and claims whose verdicts it changes; empty: it must change none."""
    why: Text = ""
    """Reason for its effect, or for none."""


class Ablations(Document):
    """The whole file."""

    format: Annotated[
        Literal["ablations/1"], word("ablations-format", "ablations/1", sourced=False)
    ]
    """The version of this file format."""
    name: FileName
    """The study."""
    claims: dict[str, tuple[Ablation, ...]]
    """By the claim's id."""
    facts: tuple[Fact, ...] = ()
    """Facts that the paper prints."""

    @property
    def ablations(self) -> list[tuple[str, Ablation]]:
        """Return every ablation, with its claim."""
        return [(claim, one) for claim, lines in self.claims.items() for one in lines]


# -- reading -------------------------------------------------------------------------------------


def load_ablations(name: str) -> Ablations:
    """Read the ablations of a shipped study; ConfigError lists what is wrong, with the lines."""
    path = shipped_root("experiments") / name / "ablations.yaml"
    if not path.is_file():
        raise InputError(f"the study {name!r} has no ablations ({path.name})")
    kind = Kind("ablations", Ablations, checks=partial(_faults, study=load_study_file(name)))
    file, _, _ = kind.parse(path.read_text(encoding="utf-8"), f"{name}/{path.name}", ())
    return file


def _faults(file: Ablations, *, study: StudyFile) -> Iterator[Fault]:
    """Return unknown names, and lines without effect."""
    testable = {one.id: one for one in study.claims if not one.untestable}
    if file.name != study.name:
        yield ("name",), f"is not the study; write {study.name}"
    for claim, lines in file.claims.items():
        if claim not in testable:
            yield ("claims", claim), _untested(claim, testable)
            continue
        for number, line in enumerate(lines):
            at = ("claims", claim, number)
            yield from _without_change(at, line)
            yield from _wrong_breaks(at, line, testable[claim])
    known = [*testable, *(one.id for one in study.figures)]
    for number, fact in enumerate(file.facts):
        yield from _without_change(("facts", number), fact)
        for index, moved in enumerate(fact.moves):
            if moved not in known:
                yield ("facts", number, "moves", index), _untested(moved, known)


def _untested(id_: str, known: dict[str, Sentence] | list[str]) -> str:
    return f"the study does not test {id_}; {did_you_mean(id_, known)}"


def _without_change(at: Path, line: StudyChange) -> Iterator[Fault]:
    if not (line.set or line.filesystem or line.jobs):
        yield at, "changes nothing; write 'set', 'filesystem' or 'jobs'"


def _wrong_breaks(at: Path, line: Ablation, claim: Sentence) -> Iterator[Fault]:
    if not line.breaks:
        return
    if not claim.contradicted:
        about = "is for claims that are contradicted; leave it out: the verdict must turn"
        yield (*at, "breaks"), about
    else:
        texts = [one.text for one in claim.conditions]
        if line.breaks not in texts:
            about = f"{line.breaks!r} is no condition of {claim.id}"
            yield (*at, "breaks"), f"{about}; {did_you_mean(line.breaks, texts)}"
