"""A crash loop leaves a few starts, and no checkpoint is ever lost by that."""

import json
import shutil
from pathlib import Path

import pytest

from rlinf_runtime.bootstrap import run_config
from rlinf_runtime.bootstrap.staging.attempts import attempts_in
from rlinf_runtime.bootstrap.staging.begin import begin
from verl_runs import checkpoint, verl_tree, weights


@pytest.fixture
def tree(run_tree, tmp_path):
    Path(run_tree["folder"]).mkdir()
    return verl_tree(run_tree, tmp_path)


@pytest.fixture
def config(tree):
    return run_config.from_json(json.dumps(tree)).config


def numbers(tree):
    """The starts that are there."""
    return [attempt.number for attempt in attempts_in(Path(tree["folder"]))]


def crash(config, times):
    """Starts that end before they have saved anything."""
    for _ in range(times):
        begin(config)


def test_a_crash_loop_leaves_its_newest_starts(config, tree, caplog):
    """However long it lasts; numbers go on, so that no start takes the folder of another."""
    caplog.set_level("INFO")
    crash(config, 12)
    assert numbers(tree) == [7, 8, 9, 10, 11, 12]
    assert "removed the starts 6, which left no complete checkpoint" in caplog.text


def test_half_a_checkpoint_does_not_save_a_start(config, tree):
    """As a full disk leaves one each time."""
    for number in range(1, 9):
        begin(config)
        weights.save(checkpoint(tree, number, 1), 2)
        (checkpoint(tree, number, 1) / "model-00002-of-00002.safetensors").write_bytes(b"")
    assert numbers(tree) == [3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(
    "file",
    [
        "checkpoints/actor/best/config.json",
        "rlinf/checkpoints/global_step_10/actor/dcp_checkpoint/.metadata",
        "checkpoints/actor/global_step_1/adapter_model.safetensors",
    ],
    ids=["renamed", "of the engine rlinf", "adapters"],
)
def test_a_start_with_a_checkpoint_stays(config, tree, file):
    """Of whatever engine, in whatever folder; the run goes on from another model, say."""
    begin(config)
    path = Path(tree["folder"], "attempts/1", file)
    if path.name == "config.json":
        weights.save(path.parent, 2)
    else:
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x")
    crash(config, 12)
    assert numbers(tree)[:2] == [1, 8]


def test_what_cannot_be_read_is_kept(config, tree):
    """A volume that fails for a moment must not cost a checkpoint."""
    begin(config)
    weights.save(checkpoint(tree, 1, 1), 2)
    shard = checkpoint(tree, 1, 1) / "model-00002-of-00002.safetensors"
    shard.unlink()
    # To open it is an error, though it is there.
    shard.mkdir()
    crash(config, 12)
    assert numbers(tree)[:2] == [1, 8]


def test_a_folder_that_is_gone_is_no_obstacle(config, tree):
    """Two heads may tidy up at once."""
    crash(config, 6)
    (Path(tree["folder"]) / "attempts/3/attempt.json").unlink()
    shutil.rmtree(Path(tree["folder"]) / "attempts/1")
    crash(config, 1)
    assert numbers(tree) == [2, 3, 4, 5, 6, 7]
