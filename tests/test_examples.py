"""The numbers of examples: which profiles there are, and that every property follows them."""

import re
from pathlib import Path

import pytest
from hypothesis import settings

from tests.examples import examples


@pytest.mark.parametrize(
    ("profile", "usual", "of_10", "of_1"), [("quick", 20, 2, 1), ("full", 100, 10, 1)]
)
def test_a_profile_scales_them(profile: str, usual: int, of_10: int, of_1: int) -> None:
    settings.register_profile("before", settings())
    settings.load_profile(profile)
    try:
        assert (settings().max_examples, examples(10), examples(1)) == (usual, of_10, of_1)
        assert settings().derandomize
    finally:
        settings.load_profile("before")


def test_every_property_asks_by_the_profile(root: Path) -> None:
    fixed = re.compile(r"max_examples=\d")
    pages = root.glob("tests/**/*.py")
    assert [page.name for page in pages if fixed.search(page.read_text("utf-8"))] == []
