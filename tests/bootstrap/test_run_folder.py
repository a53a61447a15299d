"""The run folder is tried before it is needed, and carries the marker of a finished run."""

import json

import pytest

from rlinf_runtime.bootstrap.exit_codes import BootstrapError, ExitCode
from rlinf_runtime.bootstrap.run_folder import RunFolder


def test_a_folder_is_made_and_left_clean(tmp_path):
    """The check leaves nothing behind."""
    RunFolder(str(tmp_path / "a/b"), digest="d", pod_name="rlinf-0").check()
    assert list((tmp_path / "a/b").iterdir()) == []


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    """The sentence says which folder, what happened and what to mount."""
    (tmp_path / "run").write_text("")
    with pytest.raises(BootstrapError, match=r"the run folder .*/run cannot be written to .*mount a claim") as refusal:
        RunFolder(str(tmp_path / "run"), digest="d", pod_name="rlinf-0").check()
    assert refusal.value.exit_code is ExitCode.PREFLIGHT


def test_the_marker_holds_for_its_own_run_only(tmp_path):
    """A run with another digest is not finished."""
    mine = RunFolder(str(tmp_path), digest="mine", pod_name="rlinf-0")
    other = RunFolder(str(tmp_path), digest="other", pod_name="rlinf-1")
    assert not mine.is_finished()
    mine.mark_finished()
    assert mine.is_finished()
    assert not other.is_finished()
    assert [file.name for file in tmp_path.iterdir()] == ["finished.json"]
    assert json.loads((tmp_path / "finished.json").read_text())["digest"] == "mine"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"digest": 1}'])
def test_a_broken_marker_is_no_marker(tmp_path, text):
    """A run is finished when it says so, not when something lies there."""
    (tmp_path / "finished.json").write_text(text)
    assert not RunFolder(str(tmp_path), digest="d", pod_name="rlinf-0").is_finished()
