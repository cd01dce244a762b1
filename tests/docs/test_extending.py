"""docs/extending.md adds one of each kind of thing; what it says is what happens."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from simulator.compiled import MERGED
from simulator.config import tier as sections
from simulator.config.section import fields_of
from simulator.kinds import kind_class, names, stem_of
from simulator.kinds.traits import traits_of
from simulator.reference.part import Part
from simulator.reference.policy import Policy
from simulator.reference.tier import Tier
from tests.docs.extending import BLOCK, PAGE, ROOT, followed, ran

TEXT = PAGE.read_text("utf-8")
MOST_FILES = 3
"""Source files that one addition takes."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plugins")


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    """The page as it should be, once all its files are in the folder."""
    return followed(TEXT, folder)


@pytest.mark.slow
def test_its_commands_print_what_it_says(page: str) -> None:
    assert page == TEXT


def test_each_addition_takes_three_files_at_most() -> None:
    sections = re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]
    counts = {
        section.splitlines()[0]: sum(
            str(path).endswith(".py") for path, _, _ in BLOCK.findall(section)
        )
        for section in sections
    }
    assert counts == {
        "A file system": 0,
        "A report": 1,
        "A cache policy": 2,
        "A kind of part": 3,
        "A tier": 2,
        "A phase": 1,
        "A Fortran runtime": 1,
    }
    assert max(counts.values()) <= MOST_FILES


@pytest.mark.usefixtures("page")
@pytest.mark.slow
def test_the_native_engine_and_the_reference_engine_have_the_same_kinds(
    folder: Path, tmp_path: Path
) -> None:
    """On interpreted code, in a copy of the sources: what is compiled has no new modules."""
    for name in ("simulator", "configs"):
        ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "traces")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    words_of_all = (
        "lab.yaml reread.yaml --memory.policy second-chance",
        "zoned.yaml copy-file",
        "lab.yaml saving.yaml",
    )
    for words in words_of_all:
        results = []
        for engine in ("native", "reference"):
            command = f"nwtsim run {words} --format json --engine {engine} 2> /dev/null"
            result = json.loads(ran(command, folder, tmp_path))
            assert result.pop("engine") == engine
            for key in ("why", "versions"):
                result.pop(key, None)
            results.append(result)
        assert results[0] == results[1]


@pytest.mark.slow
@pytest.mark.usefixtures("page")
def test_the_schema_offers_what_was_added(folder: Path) -> None:
    schema = ran("nwtsim schema machine/2", folder)
    assert '"second-chance"' in schema
    assert '"zoned-disk"' in schema
    assert '"checksum"' in schema
    assert '"stdio"' in schema
    assert '"checkpoint"' in ran("nwtsim schema workload/2", folder)


@pytest.mark.slow
@pytest.mark.usefixtures("page")
def test_a_sweep_takes_an_added_policy_and_an_added_part(folder: Path) -> None:
    command = (
        "nwtsim sweep lab.yaml reread.yaml --vary memory.policy=lru,fifo,second-chance"
        " --out swept --no-plot --no-progress --jobs 1"
    )
    assert "error" not in ran(command, folder).lower()
    rows = (folder / "swept" / "points.csv").read_text().splitlines()
    assert len(rows) == 1 + 3


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    said = ran("nwtsim check workstation", gone, cwd=tmp_path)
    assert said == f"NWTSIM_PLUGINS={gone}: there is no such folder; make it, or unset this\n"


@pytest.mark.parametrize("folder", ["parts", "policies"])
def test_every_kind_of_the_native_engine_is_one_of_the_reference_engine(folder: str) -> None:
    native = names(folder, "native")
    assert set(native) <= set(names(folder, "reference"))
    modules = {f"simulator.kinds.{folder}.{stem_of(name)}.native" for name in native}
    assert modules <= set(MERGED["simulator.native.engine"])


@pytest.mark.parametrize("name", names("policies", "reference"))
def test_each_policy_has_one_class(name: str) -> None:
    assert kind_class("policies", name, "reference", Policy)  # type: ignore[type-abstract]


@pytest.mark.parametrize("name", names("parts", "reference"))
def test_each_kind_of_part_has_one_class_and_says_what_it_is(name: str) -> None:
    assert kind_class("parts", name, "reference", Part)
    assert traits_of(name).what


@pytest.mark.parametrize("name", names("tiers", "reference"))
def test_each_kind_of_tier_has_one_class(name: str) -> None:
    assert kind_class("tiers", name, "reference", Tier)


@pytest.mark.parametrize("name", names("tiers", "section"))
def test_the_first_key_of_a_tier_is_the_name_of_its_kind(name: str) -> None:
    assert next(iter(fields_of(kind_class("tiers", name, "section", sections.Tier)))) == name


def test_a_module_without_its_class_is_told(tmp_path: Path) -> None:
    plugin = tmp_path / "policies" / "nothing" / "reference.py"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("X = 1\n")
    said = ran(
        "nwtsim run workstation copy-file --pages.policy nothing --engine reference", tmp_path
    )
    assert said == f"{plugin}: defines 0 classes that are a Policy; write one\n"
