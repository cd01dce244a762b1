"""docs/extending.md adds one of each kind of thing; what it says is what happens."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from simulator.config import tier as sections
from simulator.config.section import fields_of
from simulator.kinds import kind_class, names
from simulator.kinds.traits import traits_of
from simulator.native import has_kernel
from simulator.reference.part import Part
from simulator.reference.policy import Policy
from simulator.reference.tier import Tier
from tests.docs.extending import (
    FILES,
    PAGE,
    SOURCES,
    compiled_copy,
    environment,
    followed,
    ran,
    unknown_lines,
    with_files,
)

TEXT = PAGE.read_text("utf-8")
ENGINES = ("native", "reference")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_files(tmp_path_factory.mktemp("plugins"))


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    """The page as it should be, by what its commands print in the folder."""
    return followed(TEXT, folder)


@pytest.mark.slow
def test_its_commands_print_what_it_says(page: str) -> None:
    assert page == TEXT


def test_each_addition_takes_three_files_at_most() -> None:
    """A kind of a folder each; or a module, with what is compiled of it beside it."""
    paths = [path.relative_to(FILES) for path in FILES.rglob("*")]
    sources = [path for path in paths if path.suffix in {".py", ".hpp"}]
    counts = Counter(
        path.parent if path.parent.parent != Path() else path.with_suffix("") for path in sources
    )
    assert {str(one): count for one, count in counts.items()} == {
        "report/formats": 1,
        "policies/second_chance": 2,
        "parts/zoned_disk": 3,
        "tiers/checksum": 2,
        "phases/checkpoint": 1,
        "runtimes/stdio": 2,
    }


def test_the_lines_that_it_shows_are_of_its_files() -> None:
    files = [path for path in FILES.rglob("*") if path.suffix in SOURCES]
    assert [one.name for one in files if f"]({one.relative_to(PAGE.parent)})" not in TEXT] == []
    assert unknown_lines(PAGE) == []


@pytest.fixture(scope="module")
def tree(page: str, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources whose native engine has the kinds of the page."""
    del page
    copy = tmp_path_factory.mktemp("tree")
    compiled_copy(folder, copy)
    return copy


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(
    "words",
    [
        "lab.yaml reread.yaml --memory.policy second-chance",
        "lab.yaml reread.yaml --policy stdio --buffer 64KiB",
        "lab.yaml saving.yaml",
        "zoned.yaml copy-file",
    ],
)
def test_both_engines_print_the_same(words: str, folder: Path, tree: Path) -> None:
    results = []
    for engine in ("native", "reference"):
        command = f"nwtsim run {words} --format json --engine {engine} 2> /dev/null"
        result = json.loads(ran(command, folder, tree))
        assert result.pop("engine") == engine
        for key in ("why", "versions"):
            result.pop(key, None)
        results.append(result)
    assert results[0] == results[1]


DRAWN = """\
import sys
from simulator.native.run import run_native
from simulator.reference.run import run_reference
from tests.draws.plans.draw import plan_of
from tests.draws.registry import kinds_of
from tests.engines.compare import complaint
wanted = {("part", "zoned-disk"), ("runtime", "stdio"), ("policy", "second-chance")}
seen = set()
for seed in range(80):
    plan = plan_of(seed)
    if mine := wanted.intersection(kinds_of(plan)):
        seen |= mine
        if said := complaint({"reference": run_reference, "native": run_native}, plan):
            sys.exit(f"seed {seed}: {said}")
sys.exit(f"no plan has {wanted - seen}" if wanted - seen else 0)
"""


@pytest.mark.slow
@pytest.mark.compiled
def test_engines_agree_on_drawn_plans_with_what_was_added(folder: Path, tree: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DRAWN],
        cwd=tree,
        env=environment(folder, tree),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.compiled
def test_a_library_that_is_not_compiled_is_a_list_of_calls(tmp_path: Path) -> None:
    with_files(tmp_path)
    (tmp_path / "runtimes" / "stdio.hpp").unlink()
    command = "nwtsim run lab.yaml reread.yaml --policy stdio --format json --engine"
    native, reference = (json.loads(ran(f"{command} {one}", tmp_path)) for one in ENGINES)
    assert native["end_ns"] == reference["end_ns"]
    assert native["parts"] == reference["parts"]


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
    native = set(names(folder, "native"))
    assert native <= set(names(folder, "reference"))
    if has_kernel():
        from simulator.native.tables import LAYOUT

        assert native <= set(LAYOUT[folder])


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


@pytest.mark.slow
def test_a_module_without_its_class_is_told(tmp_path: Path) -> None:
    plugin = tmp_path / "policies" / "nothing" / "reference.py"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("X = 1\n")
    said = ran(
        "nwtsim run workstation copy-file --pages.policy nothing --engine reference", tmp_path
    )
    assert said == f"{plugin}: defines 0 classes that are a Policy; write one\n"
