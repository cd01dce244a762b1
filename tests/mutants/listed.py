"""What a mutant is, and the list of chosen ones (``model.yaml``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("model.yaml")
KEYS = {"id", "file", "old", "new", "breaks", "tests"}


class MutantError(ValueError):
    """A mutant that cannot be made: one line for each mistake in the list."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """An error put into one file of the project, and the tests that should notice it."""

    id: str
    file: str
    """Path from the root of the project."""
    old: str
    """Text that is in the file exactly once."""
    new: str
    breaks: str
    """What is wrong with the model then."""
    tests: tuple[str, ...]
    """What pytest runs first."""

    def mutate(self, text: str) -> str:
        """Return the file's text with the error in it; MutantError if ``old`` is not there once."""
        count = text.count(self.old)
        if count != 1:
            about = "is not there" if not count else f"is there {count} times"
            raise MutantError(f"{self.id}: {self.file}: {self.old!r} {about}; give text found once")
        return text.replace(self.old, self.new)

    @property
    def is_compiled(self) -> bool:
        """Whether its file is C++: then a copy is compiled anew before its tests run."""
        return Path(self.file).suffix in {".hpp", ".cpp"}


def load(path: Path = LIST) -> tuple[Mutant, ...]:
    """Read the list of chosen mutants; MutantError names all that is wrong with it."""
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    wrong = [
        f"{one.get('id', '?')}: write {', '.join(sorted(KEYS))}"
        for one in raw
        if one.keys() != KEYS
    ]
    if wrong:
        raise MutantError("\n".join(wrong))
    made = tuple(_mutant(one) for one in raw)
    wrong = list(faults(made))
    if wrong:
        raise MutantError("\n".join(wrong))
    return made


def _mutant(raw: dict[str, Any]) -> Mutant:
    tests = tuple(raw["tests"])
    return Mutant(raw["id"], raw["file"], raw["old"], raw["new"], raw["breaks"], tests)


def faults(mutants: Sequence[Mutant], root: Path = ROOT) -> list[str]:
    """Return what is wrong with mutants: names twice, texts not found once, tests not there."""
    found = [f"{name}: this id is given twice" for name, n in _ids(mutants).items() if n > 1]
    for one in mutants:
        if one.old == one.new:
            found.append(f"{one.id}: nothing is changed")
        if not one.tests:
            found.append(f"{one.id}: no tests; name those that should notice it")
        paths = [test.partition("::")[0] for test in one.tests]
        found += [f"{one.id}: there is no {path}" for path in paths if not (root / path).exists()]
        try:
            one.mutate((root / one.file).read_text(encoding="utf-8"))
        except OSError:
            found.append(f"{one.id}: there is no {one.file}")
        except MutantError as error:
            found.append(str(error))
    return found


def _ids(mutants: Sequence[Mutant]) -> Counter[str]:
    return Counter(one.id for one in mutants)
