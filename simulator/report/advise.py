"""Advice, for people and for programs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.answers.limits import MOST_COMPUTING
from simulator.answers.measure import WHOLE
from simulator.answers.ranking import worth
from simulator.report.counted import counted_sections, file_lines
from simulator.report.lined import first_of, wrapped
from simulator.report.page import (
    ASSUMPTIONS,
    Block,
    Browser,
    Column,
    Drawn,
    Entry,
    Markup,
    Page,
    Plain,
    Section,
    Table,
    Terminal,
    rows_of,
)
from simulator.units import format_time
from simulator.wording import brief_size, command_line, counted, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.answers.advise import Advice, Advised, Finding, Tried
    from simulator.answers.limits import Limits
    from simulator.result.result import Result
    from simulator.run import Run

MOST_FIRST = 2
"""Advices in the reports of other commands."""
SHOWN_TRIED = 8
MOST_ADVICE = 25
MOST_FILES = 10
MOST_TRIED = 25
"""In a browser."""
MOST_NAME = 40
"""Characters of a file's name in the table."""
NO = Section("", [])
SAVES, HOW = "What saves time", "What to do"
SEEN = "Seen in the log, not simulated"
TRIED = "Found as well, but not worth changing (simulated)"


def advice_page(advised: Advised, title: str = "", command: Sequence[str] = ()) -> Page:
    """Return the answer as a page: a sentence, a table, and a paragraph for each advice.

    What leads is the table and the first advice; ``title`` says what the answer is about.
    """
    first, *both = answer(advised)
    heads = [*filter(None, (headline(advised), advised.lead, first))]
    head, *answers = map(wrapped, filter(None, (*heads, advised.after)))
    seen, unknown = seen_lines(advised), unknown_lines(advised)
    saves, *others = advice_sections(advised)
    shown = [
        replace(saves, blocks=[*saves.blocks, *(Terminal(Plain(one)) for one in both)]),
        *others,
    ]
    return Page(
        head,
        [],
        answers,
        [
            Section("", [Entry(f"{SEEN}:", "", seen)], True, "what was seen", SEEN) if seen else NO,
            *(shown[:2] if advised.advice else ()),
            *counted_sections(advised.counted),
            *(shown[2:] if advised.advice else shown[-1:]),
            *(Section("", [note]) for note in advised.notes),
            Section(
                "",
                [Entry("Not known:", "", [Plain("\n".join(unknown))], 2)] if unknown else [],
                name="what is not known",
                heading=ASSUMPTIONS,
            ),
        ],
        advised.to_record,
        browser=lambda: Browser(
            f"Advice: {title}",
            [],
            [*heads, *both, *filter(None, [advised.after])],
            command,
            {"runs": f"{advised.runs:,}"},
        ),
    )


def advice_sections(advised: Advised, most: int = MOST_ADVICE) -> list[Section]:
    """Return what saves time, how each of that is done, and what saves nothing."""
    table = replace(_table(advised), most=most)
    shown = list(enumerate(advised.advice, 1))
    return [
        Section("", [Drawn(lambda: [_bars(advised, most)]), table], True, heading=SAVES),
        *(Section("", [_entry(*one)], one[0] == 1, "each advice", HOW) for one in shown[:most]),
        Section("", _tried(advised), name="what was tried", heading=TRIED),
    ]


def seen_lines(advised: Advised) -> list[str]:
    """Return what the log shows and no run does, a sentence each."""
    if advised.explained is None:
        return []
    starts = all(one.finding.pattern != "started" for one in advised.advice)
    seen = advised.explained.seen(alone=not advised.advice, starts=starts)
    return [f"{one}." for one in seen]


def headline(advised: Advised) -> str:
    """State what the time of a program is if at least half of it is not in calls on files."""
    explained = advised.explained
    return f"{explained.told()}." if explained is not None and explained.hidden else ""


def answer(advised: Advised) -> list[str]:
    """Return the answer in a sentence or two."""
    if not advised.advice or advised.both_ns is None:
        return [_sentence(advised)]
    return [_sentence(advised), _both(advised, advised.both_ns)]


def _sentence(advised: Advised) -> str:
    base = format_time(advised.elapsed_ns)
    told = f"The run takes {base}"
    if advised.measure != WHOLE:
        subject = advised.measure.subject
        average = " on average" if advised.measure.arrives else ""
        told = f"{subject[0].upper()}{subject[1:]} takes {base}{average}"
    if advised.observed_ns is not None:
        observed = format_time(advised.observed_ns)
        told = f"{advised.observed_by} {observed}; the replay predicts {base}"
    explained = advised.explained
    if explained is not None and not explained.hidden and not advised.advice:
        about = explained.told()
        told += f". {about}" if about else ""
    elif explained is None and advised.computing >= MOST_COMPUTING:
        share = percent(advised.computing, 1)
        told += f". What limits is computing: {share} of the time is between calls"
    if not advised.advice:
        what = "no pattern was found"
        if advised.tried:
            what = "what was found was cured and run again, and nothing saves 1 %"
        if advised.counted:
            return f"{told}. No simulated change helps: {what}; what the counters show is below."
        if explained is not None and (explained.computing or not explained.known):
            return f"{told}. No change of reads, writes and other calls on files helps: {what}."
        return f"{told}. Nothing is worth doing: {what}."
    first = advised.advice[0]
    return (
        f"{told}. The best change, {first.finding.pattern}, makes it"
        f" {format_time(first.elapsed_ns)}: {_saving(first.saves_ns, advised.elapsed_ns)}."
        " Each change was simulated."
    )


def _saving(saves_ns: int, whole_ns: int) -> str:
    if saves_ns < 0:
        return f"{format_time(-saves_ns)} more"
    return f"{format_time(saves_ns)} ({percent(saves_ns, whole_ns)}) less"


def _table(advised: Advised) -> Table:
    measure, whole = advised.measure, advised.elapsed_ns
    what = measure.each if measure.arrives else measure.job or "run"
    columns = [
        Column("number", "", "number"),
        Column("pattern", "pattern", of=lambda one: one.finding.pattern),
        Column("about", "file or resource", of=lambda one: about(one.finding)),
        Column("saves_ns", "saves", "time"),
        Column("share", "", "share", of=lambda one: one.saves_ns / whole if whole else None),
        Column("elapsed_ns", f"{what} takes", "time"),
        Column("level", "change of", of=lambda one: one.cure.level),
        Column("calls", "calls", "count", of=lambda one: one.finding.calls or None),
    ]
    rows = enumerate(rows_of(columns[1:], advised.advice), 1)
    numbered = [[number, *row] for number, row in rows]
    return Table("advice", "", columns, numbered, noun="change", whole=True)


def about(finding: Finding) -> str:
    """Return the resource, or the first file, and how many more there are."""
    if not finding.files:
        return finding.resource or "-"
    name = finding.files[0].name
    short = name if len(name) <= MOST_NAME else f"...{name[3 - MOST_NAME :]}"
    more = len(finding.files) - 1
    return f"{short} and {more:,} more" if more else short


def _both(advised: Advised, both_ns: int) -> str:
    told = f"1 and 2 together: {format_time(both_ns)}"
    if both_ns >= advised.advice[0].elapsed_ns:
        return f"{told}, not less than 1 alone."
    return f"{told}, {_saving(advised.elapsed_ns - both_ns, advised.elapsed_ns)}."


def _bars(advised: Advised, most: int) -> Markup:
    from simulator.report.html.run import saving_bars

    return saving_bars(advised, most)


def _entry(number: int, one: Advice) -> Entry:
    """Return an advice: what was found, in which files, and what to do."""
    finding = one.finding
    blocks: list[Block] = [
        Terminal(Plain("\n".join(file_lines(finding)))),
        f"For example: {finding.example}." if finding.example else "",
        *_cure(one),
    ]
    for other in one.others:
        blocks += _cure(other, "Instead: ")
        blocks.append("" if other.command else it_makes(other))
    columns = (
        Column("file", "file", of=lambda file: file.name),
        Column("calls", "calls", "count"),
        Column("bytes", "bytes", "size"),
    )
    title, rows = f"Files of {finding.pattern}", rows_of(columns, finding.files)
    files = Table(f"files-{number}", title, columns, rows, noun="file", most=MOST_FILES)
    return Entry(f"{number}. {finding.pattern}:", finding.found, [*blocks, Drawn(lambda: [files])])


def _cure(one: Advice, first: str = "") -> list[Block]:
    """Return what to do, what it presumes, risks and leaves for later, and its command."""
    return [
        f"{first}{one.cure.how}",
        one.cure.presumes and f"Presumes: {one.cure.presumes}",
        one.cure.risk and f"Risk: {one.cure.risk}",
        later(one),
        one.in_doubt(),
        one.in_samples(),
        Plain(timed_command(one) if one.command else ""),
    ]


def it_makes(one: Advice) -> str:
    """State how long the run takes with a change that no command makes."""
    return f"It makes it {format_time(one.elapsed_ns)}."


def later(one: Advice) -> str:
    """State what a cure leaves to a later sync; empty if it is below 1 %."""
    dirty, behind_ns = one.left
    lasts = worth(behind_ns, one.saves_ns)
    told = [f"{format_time(behind_ns)} of write-back"] if lasts else []
    if worth(dirty, one.written):
        told.append(f"{brief_size(dirty)} in memory alone, of {brief_size(one.written)} written")
    if not told:
        return ""
    saves = one.saves_ns - behind_ns
    what = "nothing" if saves <= 0 else f"{'at most ' if dirty else ''}{format_time(saves)}"
    return f"More is left for later: {' and '.join(told)}. With a sync at its end it saves {what}."


def _indented(text: str) -> list[str]:
    lines = (wrapped(f"   {part}", within=3) for part in text.split("\n"))
    return [line for one in lines for line in one.split("\n")]


def _tried(advised: Advised) -> list[Block]:
    """List what was found and saves nothing; a terminal has the first of it."""
    every = [*map(tried_line, advised.tried)]
    if not every:
        return []
    shown = first_of(every, SHOWN_TRIED, "more finding")
    lines = [f"{TRIED}:", *(line for one in shown for line in _indented(one))]

    def listed() -> list[Block]:
        from simulator.report.html.page import bulleted

        return [bulleted(every, MOST_TRIED, "more finding")]

    return [Terminal(Plain("\n".join(lines))), Drawn(listed)]


def tried_line(one: Tried) -> str:
    """State what was found, and what curing it saves."""
    if one.saves_ns is None:
        told = "cannot be simulated on this machine"
    elif one.saves_ns > 0:
        told = f"saves {format_time(one.saves_ns)}"
    elif one.saves_ns == 0:
        told = "saves nothing"
    else:
        told = f"takes {format_time(-one.saves_ns)} longer"
    return f"{one.finding.pattern}: {one.finding.found} Curing it {told}."


def unknown_lines(advised: Advised) -> list[str]:
    """Return what could not be known, a line for each kind of it."""
    from simulator.report.trace import unknown_counts

    listed = {key: one for key, one in advised.unknown.items() if isinstance(one, dict)}
    return [": ".join(pair) for pair in unknown_counts(listed)]


def advised_of(
    asked: Run,
    result: Result,
    *,
    limits: bool | None,
    job: str | None,
    command: Sequence[str],
    progress: bool | None,
) -> Advised:
    """Run the levers and the cures of a job that was run; ``command`` makes the run, if one does.

    ``limits``: ask what limits too (None: unless that takes long).
    """
    from simulator.answers.again import InputsAgain, NotAsked, ask_limits
    from simulator.answers.jobs import JobRun, advise_job
    from simulator.report.sources import doubtful_in

    again = InputsAgain(asked.inputs, seed=asked.seed, engine=asked.engine)
    found: Limits | NotAsked | None = None
    if limits is not False:
        plan = asked.plan
        found = ask_limits(again, plan, result, wanted=limits, job=job, progress=progress)
    notes = []
    if isinstance(found, NotAsked):
        notes.append(found.note)
        found = None
    made = JobRun(again, result, found, command, job)
    unknown = {"values": doubtful_in(asked.inputs.machine, asked.inputs.workload)}
    return advise_job(made, found, wanted=limits, unknown=unknown, notes=notes, progress=progress)


# -- for the reports of other commands -----------------------------------------------------------


def first_lines(advised: Advised, question: Sequence[str] = (), most: int = MOST_FIRST) -> str:
    """Write the first advices, at most so many, for the reports of other commands.

    ``question`` are the words of the command that has all advice. A command is not broken into
    lines, so that it can be copied.
    """
    if not advised.advice:
        return ""
    lines = [_tried_first(advised)]
    for one in advised.advice[:most]:
        lines += wrapped(f"  {_brief(one)}", within=4).split("\n")
        lines.append(f"  {timed_command(one)}")
    return "\n".join([*lines, *(f"  {line}" for line in _more(advised, question))])


def first_told(advised: Advised | None, question: Sequence[str] = ()) -> list[str]:
    """Return the same as lines of their own, for other pages; nothing if nothing helps."""
    if advised is None or not advised.advice:
        return []
    lines = [_tried_first(advised)]
    for one in advised.advice[:MOST_FIRST]:
        lines += (" ".join(_brief(one).split()), timed_command(one))
    return [*lines, *_more(advised, question)]


def _tried_first(advised: Advised) -> str:
    tried = ["each resource twice as good"]
    if advised.runs:
        tried.append(f"{counted(advised.runs, 'change')} of the program")
    return f"What helps most (tried: {' and '.join(tried)}):"


def _more(advised: Advised, question: Sequence[str]) -> list[str]:
    """Name the command that has all advice, if it is known."""
    calls = not all(one.command for one in advised.advice[:MOST_FIRST])
    told = " (with -o DIR the changed calls are written too)" if calls else ""
    return [f"To try more{told}: {command_line(*question)}"] if question else []


def _brief(one: Advice) -> str:
    """State what to do, what it presumes, and what it risks."""
    presumes = f", if {one.cure.presumes.rstrip('.')}" if one.cure.presumes else ""
    risk = f"; but {one.cure.risk.rstrip('.')}" if one.cure.risk else ""
    return f"{one.finding.pattern}: {one.cure.how.rstrip('.')}{presumes}{risk}"


def timed_command(one: Advice) -> str:
    """Return the command that makes a change, and how long the run then takes."""
    how = command_line(*one.command) if one.command else "the calls of the log changed so"
    return f"{format_time(one.elapsed_ns)}: {how}"
