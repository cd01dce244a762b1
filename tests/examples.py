"""How many examples a property is tried on, and which: all of them, or the few of the quick set.

The Hypothesis profile says how many: ``quick`` unless told otherwise, ``quarter`` in
`make test-slow`, ``full`` in `make test-long`, ``search`` for a long look on purpose (``pytest
--hypothesis-profile=search tests/test_x.py``). All but ``search``, which draws others each time,
draw the same examples in every run, in whatever order the tests run.
"""

from collections.abc import Callable

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

USUAL = 100
"""The examples of a property that asks for no number, in the full set."""


def register_profiles() -> None:
    """Register the profiles, and load the quick one."""
    # Neither a deadline nor a limit on drawing: both go by the clock of a machine that may be busy.
    untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    # derandomize=False is no default where CI is set: Hypothesis then begins with its profile "ci".
    settings.register_profile("search", untimed, max_examples=USUAL * 20, derandomize=False)
    settings.register_profile("full", untimed, max_examples=USUAL, derandomize=True)
    settings.register_profile("quarter", untimed, max_examples=USUAL // 4, derandomize=True)
    settings.register_profile("quick", untimed, max_examples=USUAL // 10, derandomize=True)
    settings.load_profile("quick")
    draw_no_constants_of_modules()


def draw_no_constants_of_modules() -> None:
    """Keep constants in the source of this project out of what a repeatable profile draws.

    Hypothesis draws one value in twenty from numbers and texts that it finds in the modules that
    are imported so far, if they are of the project. Which these are depends on the tests that a
    worker of pytest-xdist ran before, and on what is compiled: without this, a property fails in
    one run and passes in the next. There is no setting for it. If a new version of Hypothesis has
    no function of that name, this fails; if it no longer asks it, selftest/test_examples.py does.
    """
    asked: Callable[[str], bool] = providers.is_local_module_file
    providers.is_local_module_file = lambda path: not settings().derandomize and asked(path)


def examples(full: int) -> int:
    """The examples of a property that asks for ``full``, under the profile that is loaded."""
    return max(1, full * settings().max_examples // USUAL)
