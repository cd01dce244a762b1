"""Print what a property draws: ``python -m tests.selftest.drawn PROFILE MODULE...``.

The modules are imported before, as by the tests that a worker of pytest-xdist ran before.
tests/selftest/test_examples.py compares the answers.
"""

from __future__ import annotations

import sys
from importlib import import_module

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import register_profiles


def main(profile: str, modules: list[str]) -> None:
    """Import the modules, and print every example on a line."""
    register_profiles()
    settings.load_profile(profile)
    for module in modules:
        import_module(module)

    @given(st.tuples(st.integers(), st.floats(), st.text(), st.lists(st.sampled_from("abc"))))
    def show(drawn: object) -> None:
        print(ascii(drawn))

    show()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
