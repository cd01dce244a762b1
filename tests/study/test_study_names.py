"""One list of studies: what a command offers follows from it and from the studies' files."""

import pytest
import yaml

from simulator.cli.main import main
from simulator.shipped import shipped_root
from simulator.study.studies import STUDIES, study_names
from simulator.study.study_file import StudyError, calibrated_names, load_study

FITTED = [
    name
    for name in STUDIES
    if "calibration"
    in yaml.safe_load((shipped_root("experiments") / name / "study.yaml").read_text("utf-8"))
]


def test_studies_with_a_calibration_can_be_calibrated() -> None:
    assert study_names() == list(STUDIES)
    assert calibrated_names() == FITTED
    assert FITTED
    assert [load_study(name).name for name in FITTED] == FITTED


@pytest.mark.parametrize("name", [name for name in STUDIES if name not in FITTED])
def test_a_study_without_one_is_named(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(StudyError, match=f"nothing is fitted to the study '{name}'; there are nwt"):
        load_study(name)
    assert main(["calibrate", name]) == 2
    assert f"{name}: there is no such file, and no fit of that name" in capsys.readouterr().err


def test_a_study_that_is_not_there() -> None:
    with pytest.raises(StudyError, match="no study 'x'; there are pagecache, nwt, sr8000, orion"):
        load_study("x")
