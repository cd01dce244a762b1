"""The ten programs that came after all rules: frozen before any of them was predicted."""

from __future__ import annotations

from pathlib import Path

from experiments.reality import suite, twenty
from experiments.reality.program import SOURCES
from experiments.reality.ten import frozen, ten_programs
from experiments.reality.unseen import unseen_programs

FROZEN = "a02a043148e65b94f41e168edd8b678f3e9f0b863a075c540ebc2e021932a7a8"
"""Digest of the commit that brought them, with their cures and criteria."""


def test_they_are_as_they_were_before_the_first_prediction() -> None:
    assert frozen() == FROZEN


def test_they_are_ten_others_of_as_many_languages() -> None:
    programs = ten_programs()
    twenties = (*twenty.cured_programs(), *twenty.predicted_programs(), *unseen_programs())
    earlier = (*twenties, *suite.slow_programs(), *suite.predicted_programs())
    assert not {one.name for one in programs} & {one.name for one in earlier}
    assert len({one.name for one in programs}) == len({one.language for one in programs}) == 10
    for one in programs:
        assert 2 <= len(one.ways) <= 4
        assert all((way.patterns or way.words) and way.what for way in one.ways[1:])
        sources = {name for way in earlier for name in way.sources}
        assert not set(one.sources) & sources
    words = [word for one in programs for word in one.slow.command if str(SOURCES) in word]
    assert len(words) == 5
    assert all(Path(one).is_file() for one in words)
    assert all((SOURCES / name).is_file() for one in programs for name in one.sources)
