"""The page of the benchmarks: a part that is measured alone replaces its own sections only."""

import pytest

pytest.importorskip("pyarrow", reason="the benchmarks of traces need it")

from benchmarks.first_minutes import OF_MAKE
from benchmarks.report import with_parts

PAGE = "# Page\n\nHead.\n\n## a\n\nold\n\n### inside a\n\nold\n\n## b\n\nkept\n"


def test_a_section_is_replaced_whole() -> None:
    assert with_parts(PAGE, ["## a", "new"]) == "# Page\n\nHead.\n\n## a\n\nnew\n\n## b\n\nkept\n"


def test_a_new_section_comes_last() -> None:
    assert with_parts(PAGE, ["## c", "text", "### d"]) == PAGE + "\n## c\n\ntext\n\n### d\n"


def test_what_is_measured_again_in_the_same_way_changes_nothing() -> None:
    assert with_parts(PAGE, ["## b", "kept"]) == PAGE


def test_a_clone_is_built_without_the_variables_of_another_make() -> None:
    assert {"MAKEFLAGS", "ARGS", "OPT"} <= OF_MAKE
