"""A screen is short whatever is on its page, and says what it leaves out."""

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.cli.main import main
from simulator.report.lined import fitted
from simulator.report.page import Column, Lines, Page, Plain, Section, Table
from simulator.report.screen import LINES, page_text, screen_text
from tests.cli.commands import Capture

words = st.lists(st.sampled_from(["disk", "waits", "for", "write-back", "x" * 30]), min_size=1)
sentences = words.map(" ".join)
COLUMNS = [Column("name", "name"), *(Column(f"n{n}", f"number {n}", "count") for n in range(9))]
rows = st.lists(st.tuples(sentences, *[st.integers(0, 10**9)] * 9), max_size=60)
tables = st.builds(
    lambda title, rows, note: Table("t", title, COLUMNS, rows, note=note),
    st.sampled_from(["Resources", "Stores"]),
    rows,
    st.sampled_from(["", "what a reader must know"]),
)
blocks = st.one_of(
    tables,
    st.lists(sentences, max_size=20).map(Lines),
    sentences.map(Plain),
    sentences,
)
sections = st.builds(
    Section,
    st.sampled_from(["", "Where the time went", "Phases"]),
    st.lists(blocks, max_size=4),
    st.booleans(),
)
pages = st.builds(
    Page,
    st.just("a job on a machine"),
    st.just(["no seed; native engine"]),
    st.lists(st.just("elapsed 1 s"), min_size=1, max_size=30),
    st.lists(sections, max_size=9),
)


@given(page=pages, columns=st.sampled_from([60, 80, 120]))
def test_a_screen_holds_any_page(page: Page, columns: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        text = fitted(screen_text(page))
        assert text.count("\n") <= LINES
        first, blank, answer, *_ = text.splitlines()
        assert (first, blank, answer) == ("a job on a machine", "", "elapsed 1 s")
        assert text.endswith("no seed; native engine\n")
        whole = fitted(page_text(page))
        if whole.count("\n") > LINES:
            assert "--full" in text


def page_of(*sections: Section) -> Page:
    """A page with these sections."""
    return Page("title", [], ["answer"], sections)


def test_a_cut_table_keeps_the_rows_that_weigh_most_in_their_order() -> None:
    values = [(f"phase {n}", n * 37 % 100) for n in range(60)]
    columns = [Column("phase", "phase"), Column("ns", "long", "count")]
    table = Table("phases", "Phases", columns, values, noun="phase", weight="ns")
    text = screen_text(page_of(Section("", [table], leads=True)))
    found = [line.rsplit(maxsplit=1) for line in text.splitlines() if line.startswith("phase ")]
    kept = [(name.strip(), int(number)) for name, number in found if number.isdigit()]
    assert kept == [one for one in values if one[1] >= sorted(n for _, n in values)[-20]]
    assert "(40 more phases: --full)" in text


def test_what_leads_stays_and_what_is_left_out_is_named() -> None:
    many = [(f"resource {n}", n) for n in range(30)]
    table = Table("t", "Resources", [Column("r", "resource"), Column("n", "n", "count")], many)
    long = Section("Notes", [Plain("a\n" * 35)])
    text = screen_text(page_of(long, Section("Resources", [table], leads=True)))
    assert "resource 0" in text
    assert "(22 more rows: --full)" in text
    assert text.endswith("(--full has more: Notes)\n")
    assert "--full" not in screen_text(page_of(Section("Few", [Plain("a")])))


@pytest.mark.few(5)
@pytest.mark.compiled
@pytest.mark.parametrize(
    "command",
    [
        "run nwt test-write",
        "run nwt nwt-job --no-limits",
        "run sr8000 sr8000-write-col --no-limits",
        "run lustre-lab shared-records --output.size '16 MiB'",
        "run mesh-lab mesh-checkpoint --no-limits",
        "run orion orion-mesh --no-limits",
        "replay LOG --on nwt",
        "replay LOG --on workstation --no-limits",
        "advise nwt test-write",
        "trace summary LOG",
        "trace rate LOG",
        "trace check LOG",
        *(f"show {name}" for name in ("nwt", "ninf", "sr8000", "lustre-lab", "workstation")),
        *("show nwt --knobs", "show ninf --knobs"),
        "compare orion mesh-lab --workload orion-mesh",
        "sweep nwt test-read --vary 'clients=1..30 +1' --no-plot --out OUT",
        "sweep nwt test-read --vary 'buffer=1 MB,2 MB,4 MB' --vary 'clients=1..9 +1' --out OUT",
        "uncertainty nwt test-read --points 8 --replications 2",
    ],
)
def test_commands_are_short_unless_full(
    command: str, root: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log = str(root / "notebooks" / "data" / "job.strace.gz")
    words = shlex.split(command.replace("LOG", log))
    slow = words[0] in ("run", "replay", "advise", "uncertainty")
    widths = ("80",) if slow else ("60", "120", "80")
    for columns in widths:
        monkeypatch.setenv("COLUMNS", columns)
        assert main(words) == 0
        text = capsys.readouterr().out
        assert text.count("\n") <= LINES
        assert "--full" in text
        wide = [line for line in text.splitlines() if len(line) > int(columns)]
        assert [line for line in wide if " " in line.strip()] == []
    if words[0] in ("run", "replay") and "--no-limits" not in words:
        assert "What limits: " in "\n".join(text.splitlines()[:5])
    assert main([*words, "--full"]) == 0
    assert capsys.readouterr().out.count("\n") > text.count("\n")
