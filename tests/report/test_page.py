"""A column of the model of a page is in all four renderers, and so is each table of a run."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import pytest

from simulator.cli.main import main
from simulator.report.forms import table_markdown, tables_record
from simulator.report.html.page import table as table_html
from simulator.report.outcome import Outcome
from simulator.report.page import Column, Table, ValueInWords, printed
from simulator.report.report import written
from simulator.report.scales import Scale
from simulator.report.screen import table_text
from simulator.run import load_inputs, run_plan
from tests.verification.handmade import a_plan, a_result

RUNS = (
    ("nwt", "test-write"),
    ("nwt", "nwt-neighbours"),
    ("ninf", "ninf-single"),
    ("mesh-lab", "mesh-checkpoint"),
    ("lustre-lab", "mpi-array"),
)
"""Between them they have a table of each kind."""


def outcomes() -> Iterator[Outcome]:
    """Finished runs."""
    yield Outcome(a_plan(), a_result())
    for machine, workload in RUNS:
        plan = load_inputs(machine, workload).plan()
        yield Outcome(plan, run_plan(plan))


@pytest.mark.compiled
def test_each_column_of_each_table_is_in_all_renderers() -> None:
    seen: set[str] = set()
    for outcome in outcomes():
        record = outcome.to_record()["tables"]
        whole = written("table", outcome)
        for table in outcome.tables():
            seen.add(table.name.partition("-0")[0])
            text, markdown, html = table_text(table), table_markdown(table), table_html(table)
            assert text in whole
            assert list(record[table.name][0]) == [column.key for column in table.columns]
            assert len(record[table.name]) == len(table.rows)
            made = printed(table)
            for column, head, *cells in zip(made.columns, made.heads, *made.rows, strict=True):
                assert f" {head.replace('_', chr(92) + '_')} |" in markdown.partition("\n")[0]
                assert f">{head}</th>" in html
                if text and not column.wide:
                    assert column.heading in text.partition("\n")[0]
                for cell in {one.strip() for one in cells} - {""}:
                    assert escape(cell) in html
    assert seen >= {"jobs", "where", "latencies", "resources", "stores", "mpi-io", "meshes"}
    assert seen >= {"messages", "numerical-calls", "numerical-servers"}


def test_a_quantile_is_in_all_renderers() -> None:
    outcome = Outcome(a_plan(), a_result())
    (table,) = (one for one in outcome.tables() if one.name == "latencies")
    for text in (written("table", outcome), table_markdown(table), table_html(table)):
        assert "p99.9" in text
    record = outcome.to_record()
    for row in record["tables"]["latencies"]:
        assert row["p999_ns"] == record["latencies"][row["operation"]]["p999_ns"]


def test_how_values_read() -> None:
    table = Table(
        "t",
        "A title",
        [
            Column("name", ""),
            Column("long_ns", "long", "time"),
            Column("bytes", "moved", "size"),
            Column("share", "share", "share"),
            Column("change_ns", "change", "change", Scale("ms", 1e6)),
            Column("nothing", "nothing", "rate"),
            Column("kind", "kind", wide=True),
        ],
        [["a|b", 7_950_000_000, 512, 0.5, 1_000_000, 0, "x"], ["c", 133_000, 0, None, 0, 0, "y"]],
        foot=["sum", ValueInWords(5, "= 5 ns"), 512, "", -1_500_000, 0, ""],
        noun="thing",
        brief=1,
    )
    first, _, row, foot, rest = table_text(table).splitlines()
    assert first.split() == ["long", "moved", "share", "change", "(ms)"]
    assert row.split() == ["a|b", "7.95", "s", "512", "B", "50.0", "%", "+1.00"]
    assert foot.split() == ["sum", "=", "5", "ns", "512", "B", "-1.50"]
    assert rest == "(1 more thing)"
    lines = table_markdown(table).splitlines()
    assert lines[0] == "| name | long | moved | share | change (ms) | kind |"
    assert lines[2] == r"| a\|b | 7,950 ms | 512 B | 50.0 % | +1.00 | x |"
    assert lines[3] == "| c | 0.133 ms | - | - | 0 | y |"
    assert lines[4] == "| sum | = 5 ns | 512 B |  | -1.50 |  |"
    (first, second) = tables_record([table])["t"]
    assert (first["long_ns"], second["bytes"], second["share"]) == (7_950_000_000, 0, None)
    assert '<data value="7950000000">7,950 ms</data>' in table_html(table)
    assert '<data value="5">= 5 ns</data>' in table_html(table)


def test_markdown_says_what_limits_unless_it_is_told_not_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["run", "workstation", "read-cached", "--format", "markdown"]
    assert main(words) == 0
    assert "\n- What limits: " in capsys.readouterr().out
    assert main([*words, "--no-limits"]) == 0
    assert "What limits" not in capsys.readouterr().out
