"""Draws catch what they are for: wrong native ports, fields and kinds that nothing draws."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.reference.actor import Steps
from simulator.reference.run import run_reference
from simulator.reference.tiers.stripe import Stripe
from simulator.reference.tiers.tier import Request
from tests.docs.extending import BLOCK, PAGE, ROOT
from tests.draws.plans.draw import plan_of
from tests.engines.compare import complaint
from tests.interpreted import interpreted
from tests.twins.plans.faults import chains_of

ENOUGH = 150
"""Plans within which a wrong port of a policy is found."""

ZONED = '''\
"""Zoned disks, in plans and in machine files."""

from typing import Any

from simulator.config.parts.zoned import ZonedSpec
from simulator.service import ServiceSpec

ROLES = {"device": 3, "work": 1}


def plan(dice: Any) -> dict[str, Any]:
    spec = ZonedSpec(1e9, 5e8, dice.some(1_000, 100_000), dice.some(0, 300))
    return {"spec": spec, "service": ServiceSpec(7.5e8, 0)}


def section(dice: Any) -> dict[str, Any]:
    return {"outer": "10 MB/s", "inner": dice.some("10 MB/s", "5 MB/s"), "capacity": "1 GB"}
'''
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
wanted = {("part", "zoned-disk"), ("policy", "second-chance"), ("runtime", "stdio")}
for plan in plans:
    mine = wanted.intersection(kinds_of(plan))
    if mine:
        said = complaint({"reference": run_reference, "native": run_native}, plan)
        assert not said, said
for where in (plans[:100], plans[100:]):
    print(sorted(name for of, name in wanted & {kind for one in where for kind in kinds_of(one)}))
"""


@pytest.fixture(scope="module")
def native() -> dict[str, Any]:
    """The native engine's source, and the classes of its policies."""
    policies = [f"simulator.native.policies.{name}" for name in ("lru", "fifo", "arc")]
    run, lru, fifo, arc = interpreted("simulator.native.run", *policies)
    return {"run": run.run_native, "lru": lru.Lru, "fifo": fifo.Fifo, "arc": arc.Arc}


def nothing(*_: object) -> int:
    return 0


def forgetful(victim: Callable[..., int]) -> Callable[..., int]:
    """Return a choice of victims that does not know whether the block that comes was there."""
    return lambda policy, rings, at, _: victim(policy, rings, at, 0)


@pytest.mark.parametrize(
    ("policy", "method", "wrong"),
    [
        ("lru", "touch", lambda _: nothing),
        pytest.param("fifo", "touch", lambda classes: classes["lru"].touch, marks=pytest.mark.slow),
        ("arc", "ring", lambda classes: classes["lru"].ring),
        ("arc", "recall", lambda _: nothing),
        pytest.param(
            "arc",
            "victim",
            lambda classes: forgetful(classes["arc"].victim),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_wrong_port_of_a_policy_is_found(
    native: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    policy: str,
    method: str,
    wrong: Callable[[dict[str, Any]], Any],
) -> None:
    monkeypatch.setattr(native[policy], method, wrong(native), raising=False)
    engines = {"reference": run_reference, "wrong": native["run"]}
    plans = (plan_of(seed) for seed in range(ENOUGH))
    having = (plan for plan in plans if any(one.policy == policy for one in plan.stores))
    assert any(complaint(engines, plan) for plan in having)


def test_a_wrong_offset_of_requests_for_locks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One below a stripe has the offset of its member, not that of the file."""

    def of_the_file(tier: Stripe, request: Request) -> Steps:
        member = tier._members(request.places)[request.low // tier.plan.size % tier.plan.width]
        yield from tier.below.metadata(request.at(tier.plan.slot, member))

    monkeypatch.setattr(Stripe, "metadata", of_the_file)
    engines = {"wrong": run_reference, "native": run_native}
    assert any(complaint(engines, plan) for plan in map(plan_of, range(300)) if _asks_a_disk(plan))


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


def written(folder: Path) -> Path:
    """Write the modules of docs/extending.md, and a draw of its kind of part; return the folder."""
    for name, _, body in BLOCK.findall(PAGE.read_text("utf-8")):
        if name.endswith((".py", ".pxd")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(body, encoding="utf-8")
    (folder / "draws" / "parts").mkdir(parents=True)
    (folder / "draws" / "parts" / "zoned_disk.py").write_text(ZONED, encoding="utf-8")
    return folder


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
    """The part by its own draw, the policy and the runtime by their names alone."""
    done = python("-c", COUNTING, folder=written(tmp_path))
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["['second-chance', 'stdio', 'zoned-disk']"] * 2


@pytest.mark.slow
def test_a_kind_of_a_user_without_a_draw_is_told(tmp_path: Path) -> None:
    (written(tmp_path) / "draws" / "parts" / "zoned_disk.py").unlink()
    tests = str(ROOT / "tests" / "selftest" / "test_drawn_plans.py")
    only = ("-k", "every_kind", "-p", "no:xdist", "-p", "no:cacheprovider", "-q")
    done = python("-m", "pytest", f"--rootdir={ROOT}", tests, *only, folder=tmp_path)
    assert done.returncode == 1
    assert "'zoned-disk'" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("right", [True, False])
def test_a_wrong_native_port_of_a_policy_of_a_user_is_found(tmp_path: Path, right: bool) -> None:
    """On interpreted code, in a copy of the sources: what is compiled has no new modules."""
    root, folder = tmp_path / "copy", written(tmp_path)
    shutil.rmtree(folder / "draws")
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "traces")
    for name in ("simulator", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    for kind in ("config/parts/zoned.py", "reference/parts/zoned_disk.py"):
        (folder / kind).unlink()
    port = folder / "native" / "policies" / "second_chance.py"
    if not right:
        port.write_text(port.read_text("utf-8").replace("while rings", "if rings"))
    arguments = ("-m", "tests.fuzz_engines", "--plans", str(ENOUGH))
    done = python(*arguments, folder=folder, root=root)
    assert (done.returncode, f"{ENOUGH} plans agree" in done.stdout) == (0 if right else 1, right)
    assert right or "native (interpreted) differs from reference" in done.stdout
