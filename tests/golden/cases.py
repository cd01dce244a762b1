"""All cases, by study: what the golden files hold, and why they are there.

The golden files are what the simulators of version 1 gave - the NWT's storage, the SR8000's
parallel I/O, Orion's messages, Ninf's servers - frozen before one composed simulator replaced the
four. A result that has a meaning in time, bytes or counts is compared to the nanosecond and the
byte by ``tests/test_golden.py``, on every engine that a study has. Those of the NWT are compared by
``tests/test_golden_composed.py``: their inputs are converted. They stay what they were, but for 36
of 164 that docs/decisions/0048 names, which are of the composed machine.

- ``old/``: machines and workloads in the formats of version 1, with sources and comments.
- ``inputs/STUDY.json``: for each case the whole machine and workload *after settings*, in the same
  formats without sources (equal ones once), with seed and run. A case needs nothing else, so that
  it can be run when settings and formats have changed: by converting these texts.
- ``results/STUDY.json.gz``: for each case what :mod:`tests.golden.record` keeps of its result.

``python -m tests.golden.freeze`` writes the files anew, ``--check`` says what differs from them,
and ``python -m tests.golden.freeze nwt`` writes those of the NWT's cases anew that differ.
A deliberate change of a model changes ``results/``; it is named in CHANGELOG.md, with the cases
that moved and the reason.
"""

from __future__ import annotations

from tests.golden.case import Case
from tests.golden.cases_others import ninf_cases, orion_cases, sr8000_cases

CASES: dict[str, dict[str, Case]] = {}
"""Study -> name -> case."""

for _case in (*sr8000_cases(), *orion_cases(), *ninf_cases()):
    _named = CASES.setdefault(_case.study, {})
    if _case.name in _named:
        raise ValueError(f"two cases of {_case.study} are called {_case.name}")
    _named[_case.name] = _case
