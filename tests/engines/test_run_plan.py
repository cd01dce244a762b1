"""Which engine runs a plan, and what the result says about it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from simulator.errors import RefusedError
from simulator.result.result import Result
from simulator.run import EngineError, run_plan
from simulator.verification.sums import IdentityError
from tests.verification.handmade import a_plan, a_result

Calls = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Engines that give the result worked out by hand; returns how they were called."""
    made: Calls = []
    for name in ("native", "reference"):

        def run(_: object, *, name: str = name, **options: Any) -> Result:
            made.append((name, options))
            result = a_result()
            result.engine = name
            return result

        module = ModuleType(f"simulator.{name}.run")
        setattr(module, f"run_{name}", run)
        monkeypatch.setitem(sys.modules, f"simulator.{name}.run", module)
    return made


def refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_: object, **__: object) -> Result:
        raise RefusedError("the native engine has no tape robots")

    monkeypatch.setattr(sys.modules["simulator.native.run"], "run_native", run)


def test_auto_takes_the_native_engine(calls: Calls) -> None:
    result = run_plan(a_plan(), timeline=True, record=True)
    assert (result.engine, result.why) == ("native", "auto: it supports the whole plan")
    options = {"timeline": True, "debug": False, "record": True, "samples": 0, "fast_forward": True}
    options |= {"stopped": None, "begun": None, "cache": None}
    assert calls == [("native", options)]


@pytest.mark.usefixtures("calls")
def test_auto_says_why_it_takes_the_reference_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch)
    result = run_plan(a_plan())
    assert result.engine == "reference"
    assert result.why == "auto: the native engine has no tape robots"


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_an_engine_can_be_asked_for(engine: Any, calls: Calls) -> None:
    assert run_plan(a_plan(), engine=engine).why == "requested"
    assert [name for name, _ in calls] == [engine]


def test_an_engine_that_is_asked_for_and_refuses_is_an_error(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch)
    with pytest.raises(EngineError, match=r"--engine native: .*no tape robots; omit the option"):
        run_plan(a_plan(), engine="native")
    assert calls == []


def test_there_are_no_other_engines() -> None:
    with pytest.raises(
        EngineError, match=r"no engine 'fast'; write one of auto, native, reference"
    ):
        run_plan(a_plan(), engine="fast")  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_debug_checks_the_identities(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = a_plan()
    run_plan(plan, engine=engine, debug=True)
    about = "simulator.verification.identities.broken_identities"
    monkeypatch.setattr(about, lambda *_: iter(["writer: 1 B is lost"]))
    run_plan(plan, engine=engine)
    with pytest.raises(IdentityError, match="writer"):
        run_plan(plan, engine=engine, debug=True)
