"""Room for a checkpoint, and clocks."""

import os
import time
from pathlib import Path

from rlinf_runtime.bootstrap.preflight import clock, space


def sentences(findings):
    return [str(each) for each in findings]


def test_room_is_estimated_from_the_weights(config_of, hydra_of, model):
    """A model of many times the free space, as a sparse file."""
    config = config_of("verl", hydra_of(model))
    assert sentences(space.check(config, {})) == []
    free = os.statvfs(config.folder)
    os.truncate(model / "model-00001-of-00002.safetensors", 4 * free.f_frsize * free.f_bavail)
    [sentence] = sentences(space.check(config, {}))
    assert sentence.startswith("storage.checkpoints has ")
    assert f"free in {config.folder}, while a checkpoint takes about " in sentence
    assert sentence.endswith("delete old checkpoints, enlarge the volume, or save to another one")


def test_the_clock_of_a_node_follows_the_file_server(config_of):
    """A local file system is stamped by this very clock, and no file is left."""
    config = config_of()
    assert sentences(clock.check(config, {})) == []
    assert list(Path(config.folder).iterdir()) == []


def test_a_clock_that_is_off_is_told(config_of, monkeypatch):
    """This node is an hour ahead of the file's time."""
    now_s = time.time
    monkeypatch.setattr(time, "time", lambda: now_s() + 3600)
    [sentence] = sentences(clock.check(config_of(), {}))
    assert sentence.startswith("the clock of this node is 3600 s away from that of the run folder's file server: let")
