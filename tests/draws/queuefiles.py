"""Machine and workload files with batch queues, drawn from the definitions of their sections."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from simulator.config.machine_file import Machine
from simulator.config.queue import BatchQueue
from simulator.config.workload_file import Submit, Workload
from simulator.kinds.dice import LEFT_OUT, Dice
from simulator.plan.plan import Plan
from tests.draws.machine_files import CLIENT, SERVER, draw_machine_file
from tests.draws.mended import mended_machine, mended_plan
from tests.draws.sections import Draws
from tests.draws.workload_files import draw_workload_file

NOT_OF_QUEUES = ("arrivals", "calls", "launched", "until", "skew", "first_node", "start", "nodes")
TIMES = ("0 s", "1 ms", "3 ms", "20 ms", "1 s")


def _off(dice: Dice) -> dict[str, Any]:
    begin, lasts = dice.int(0, 20), dice.int(1, 30)
    again = {"every": f"{lasts + dice.int(1, 20)} ms", "until": f"{begin + 200} ms"}
    once = {"at": f"{begin} ms", "lasts": f"{lasts} ms"} | ({"nodes": 1} if dice.maybe(40) else {})
    return once | (again if dice.maybe() else {})


def _queue(dice: Dice, draws: Draws) -> dict[str, Any]:
    keys = {"aging": dice.some(*TIMES[1:]), "half_life": dice.some(*TIMES[1:])}
    off = [_off(dice) for _ in range(dice.some(0, 0, 1, 2))]
    return draws.section(BatchQueue, off=off or LEFT_OUT, limits=_limits(dice) or LEFT_OUT, **keys)


def _limits(dice: Dice) -> list[dict[str, Any]]:
    whose = [{"each": "user"}, {"each": "class"}, {"user": "ann"}, {"name": "job0"}]
    return [{**dice.some(*whose), "jobs": dice.int(1, 3)} for _ in range(dice.some(0, 0, 1, 2))]


def _of_queue(dice: Dice, draws: Draws, job: dict[str, Any], stages: list[str]) -> dict[str, Any]:
    """Return a job as one of a queue."""
    at = {"at": [dice.some(*TIMES)], "every": LEFT_OUT, "count": LEFT_OUT}
    submit = {"at": LEFT_OUT, "every": dice.some(*TIMES), "count": dice.int(1, 8)}
    chosen = at if dice.maybe(20) else submit
    found = {key: value for key, value in job.items() if key not in NOT_OF_QUEUES}
    hours: dict[str, Any] = {"day": LEFT_OUT, "week": LEFT_OUT}
    if chosen is submit and dice.maybe(20):
        hours = {"day": ["0 s", dice.some("20 ms", "12 h")], "week": dice.int(1, 7)}
    found["submit"] = draws.section(Submit, **{**hours, **chosen})
    found |= {"user": dice.some("ann", "ben"), "priority": dice.int(0, 3)}
    found |= {"requested": dice.some(*TIMES[1:])} if dice.maybe() else {}
    for key in ("stage_in", "stage_out"):
        found |= {key: dice.some(*stages)} if stages and dice.maybe() else {}
    if "stage_in" in found and dice.maybe(20):
        found["hold"] = "false"
    return found


def draw_queue_files(seed: int, folder: Path) -> tuple[Machine, Workload, Plan] | None:
    """Draw a machine whose clients have a queue, and jobs for it; None if none of these fits."""
    dice = Dice(Random(f"queue files {seed}"))
    draws = Draws(dice, lambda *_: ())
    document = draw_machine_file(dice)
    if CLIENT not in document["nodes"] or "services" in document:
        return None
    document["nodes"][CLIENT] |= {"queue": _queue(dice, draws), "count": dice.int(1, 5)}
    machine = mended_machine(document)
    if machine is None or machine.nodes[CLIENT].queue is None:
        return None
    workload = draw_workload_file(dice, machine, folder, seed)
    stages = ["mover"] if SERVER in machine.nodes and dice.maybe() else []
    jobs = [_of_queue(dice, draws, {**one, "on": CLIENT}, stages) for one in workload["jobs"]]
    if stages:
        moves = [{"do": dice.some("read", "write"), "file": dice.some("a", "b")}]
        jobs.append({"name": "mover", "on": SERVER, "record": "4 kB", "phases": moves})
    found = mended_plan(workload | {"jobs": jobs}, machine)
    return None if found is None or not found[1].queues else (machine, *found)
