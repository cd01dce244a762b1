"""Draws catch what they are for: wrong native ports, fields and kinds that nothing draws."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.kinds.tiers.stripe.reference import Stripe
from simulator.native.run import run_native
from simulator.native.tables import LAYOUT
from simulator.plan.plan import Plan
from simulator.reference.actor import Steps
from simulator.reference.run import run_reference
from simulator.reference.tier import Request
from tests.docs.extending import ROOT, compiled_copy, with_files
from tests.draws.plans.draw import plan_of
from tests.draws.registry import kinds_of
from tests.engines.compare import complaint
from tests.examples import examples
from tests.twins.plans.faults import chains_of

ENOUGH = 400
"""Plans among which enough have a kind."""
EACH = examples(40)
"""How many plans with each kind are carried out."""

COUNTING = """\
from pathlib import Path
from tests.engines.compare import complaint
from tests.draws.plans.draw import plan_of
from tests.draws.registry import kinds_of
from tests.properties.test_drawn_files import drawn_of
from simulator.native.run import run_native
from simulator.reference.run import run_reference
files = [drawn_of(seed, Path.cwd()) for seed in range(70)]
plans = [*map(plan_of, range(100)), *(one.plan for one in files if one is not None)]
wanted = {
    *(("part", "zoned-disk"), ("policy", "second-chance")),
    *(("runtime", "stdio"), ("tier", "checksum")),
}
for plan in plans:
    mine = wanted.intersection(kinds_of(plan))
    if mine:
        said = complaint({"reference": run_reference, "native": run_native}, plan)
        assert not said, said
for where in (plans[:100], plans[100:]):
    print(sorted(name for of, name in wanted & {kind for one in where for kind in kinds_of(one)}))
"""


def having_all(each: int) -> Iterator[Plan]:
    """Yield drawn plans until so many have each of the kinds that the kernel has."""
    left = Counter({("part", name): each for name in LAYOUT["parts"]})
    left += Counter({("policy", name): each for name in LAYOUT["policies"]})
    left += Counter({("tier", name): each for name in LAYOUT["tiers"]})
    for plan in map(plan_of, range(2 * ENOUGH)):
        if not left:
            return
        found = set(kinds_of(plan)) & left.keys()
        left -= Counter(found)
        if found:
            yield plan
    assert not left


@pytest.mark.drawn
def test_drawn_plans_with_each_kind_agree() -> None:
    """In those that find a wrong port of any hook of a kind (tests/mutants, port-...)."""
    engines = {"reference": run_reference, "native": run_native}
    for plan in having_all(EACH):
        said = complaint(engines, plan)
        assert not said, said


def test_a_wrong_offset_of_requests_for_locks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One below a stripe has the offset of its member, not that of the file."""

    def of_the_file(tier: Stripe, request: Request) -> Steps:
        position = tier.coding.position(request.low // tier.plan.size % tier.coding.columns)
        member = request.places.in_turn(tier.plan.slot, position)
        yield from tier.below.metadata(request.at(tier.plan.slot, member))

    monkeypatch.setattr(Stripe, "metadata", of_the_file)
    engines = {"wrong": run_reference, "native": run_native}
    assert any(complaint(engines, plan) for plan in map(plan_of, range(1000)) if _asks_a_disk(plan))


def _asks_a_disk(plan: Plan) -> bool:
    """Whether requests for locks are striped over disks."""
    chains = [chain.rows(plan) for chain in chains_of(plan) if chain.locks]
    return any(
        plan.tiers[rows[0]].width > 1 and "disk" in {_kind_of(plan, row) for row in rows[1:]}
        for rows in chains
    )


def _kind_of(plan: Plan, row: int) -> str:
    """Return the kind of the first part of a tier; nothing if it has none."""
    return next((plan.parts[hold.part].kind for hold in plan.tiers[row].down), "")


# -- a user's own kinds ----------------------------------------------------------------------------


def python(*arguments: str, folder: Path, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run Python with a user's own kinds."""
    own = {"NWTSIM_PLUGINS": str(folder), "PYTHONPATH": str(root)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=root if root != ROOT else folder,
        env=os.environ | own,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_kinds_of_a_user_are_drawn_in_plans_and_in_files(tmp_path: Path) -> None:
    """The part by its own draw, the policy and the runtime by their names alone.

    A tier is drawn in files, by its keys.
    """
    done = python("-c", COUNTING, folder=with_files(tmp_path))
    assert done.stderr == ""
    plans, files = (ast.literal_eval(line) for line in done.stdout.splitlines())
    assert plans == ["second-chance", "stdio", "zoned-disk"]
    assert files == ["checksum", *plans]


@pytest.mark.slow
def test_a_kind_of_a_user_without_a_draw_is_told(tmp_path: Path) -> None:
    section = with_files(tmp_path) / "parts" / "zoned_disk" / "section.py"
    section.write_text(section.read_text("utf-8").replace("    roles = ", "    found = "), "utf-8")
    tests = str(ROOT / "tests" / "selftest" / "test_drawn_plans.py")
    only = ("-k", "every_kind", "-p", "no:xdist", "-p", "no:cacheprovider", "-q")
    done = python("-m", "pytest", f"--rootdir={ROOT}", tests, *only, folder=tmp_path)
    assert done.returncode == 1
    assert "'zoned-disk'" in done.stdout


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize(
    "wrong",
    [
        ("policies/second_chance/native.hpp", "", ""),
        (
            "policies/second_chance/native.hpp",
            "if (!(rings[b].flags & USED_AGAIN)) return b;",
            "return b;",
        ),
        ("parts/zoned_disk/native.hpp", "load.address + load.span", "load.address"),
    ],
)
def test_a_wrong_native_port_of_a_kind_of_a_user_is_found(
    tmp_path: Path, wrong: tuple[str, str, str]
) -> None:
    """In a copy of the sources that is compiled with it."""
    right = wrong[1] == wrong[2]
    plans = ENOUGH // 8 if right else ENOUGH
    root, folder = tmp_path / "copy", with_files(tmp_path / "own")
    port, old, new = wrong
    text = (folder / port).read_text("utf-8")
    assert old in text
    (folder / port).write_text(text.replace(old, new), "utf-8")
    compiled_copy(folder, root)
    arguments = ("-m", "tests.fuzz_engines", "--plans", str(plans))
    done = python(*arguments, folder=folder, root=root)
    assert (done.returncode, f"{plans} plans agree" in done.stdout) == (0 if right else 1, right)
    assert right or "reference and native differ" in done.stdout
