"""#29: a start leaves the checkpoint's files alone; LoRA checkpoints are saved."""

import json
import os

import pytest

UTILS = "verl.utils.openvla_utils"
# Lets the module be imported: it asks for TensorFlow.
IMPORTABLE = "tensorflow-images"
AUTO_MAP = {
    "AutoConfig": "configuration_prismatic.OpenVLAConfig",
    "AutoModelForVision2Seq": "modeling_prismatic.OpenVLAForActionPrediction",
}


@pytest.fixture
def checkpoint(tmp_path, monkeypatch):
    """A run's model folder whose files are links to the shared checkpoint; ./prismatic lies in the working folder."""
    shared, staged, working = tmp_path / "shared", tmp_path / "staged", tmp_path / "working"
    for folder in (shared, staged, working / "prismatic/models"):
        folder.mkdir(parents=True)
    (shared / "config.json").write_text('{"model_type": "openvla"}')
    (shared / "modeling_prismatic.py").write_text("# the model that was trained\n")
    for file in shared.iterdir():
        (staged / file.name).symlink_to(file)
    (working / "prismatic/models/modeling_prismatic.py").write_text("# another one\n")
    monkeypatch.chdir(working)
    return staged


def test_modeling_files_are_copied_through_links(engine, checkpoint):
    """The fault: the shared checkpoint has another model afterwards."""
    engine.load(UTILS, IMPORTABLE).check_model_logic_mismatch(str(checkpoint))
    assert (checkpoint.parent / "shared/modeling_prismatic.py").read_text() == "# another one\n"


def test_modeling_files_are_left_alone(engine, checkpoint):
    """The cure."""
    engine.load(UTILS, IMPORTABLE, "modeling-files").check_model_logic_mismatch(str(checkpoint))
    assert (checkpoint / "modeling_prismatic.py").read_text() == "# the model that was trained\n"


def test_config_json_is_rewritten_at_each_start(engine, checkpoint):
    """The fault: in the shared checkpoint, with one more backup each time."""
    update_auto_map = engine.load(UTILS, IMPORTABLE).update_auto_map
    for _ in range(2):
        update_auto_map(str(checkpoint))
    assert "auto_map" in (checkpoint.parent / "shared/config.json").read_text()
    assert len(list(checkpoint.glob("config.json.back.*"))) == 2


def test_config_json_is_replaced_once(engine, checkpoint):
    """The cure: the link becomes a file of the run's own; the shared file stays, and so does a right one."""
    update_auto_map = engine.load(UTILS, IMPORTABLE, "config-json").update_auto_map
    update_auto_map(str(checkpoint))
    written = (checkpoint / "config.json").stat()
    update_auto_map(str(checkpoint))
    assert json.loads((checkpoint / "config.json").read_text()) == {"model_type": "openvla", "auto_map": AUTO_MAP}
    assert (checkpoint / "config.json").stat() == written
    assert (checkpoint.parent / "shared/config.json").read_text() == '{"model_type": "openvla"}'
    assert sorted(file.name for file in checkpoint.iterdir()) == ["config.json", "modeling_prismatic.py"]


def test_a_config_json_that_cannot_be_written_says_what_to_do(engine, checkpoint):
    """A folder in the way of the draft stands for a read-only file system, which root does not know."""
    (checkpoint / f"config.json.{os.getpid()}").mkdir()
    with pytest.raises(
        OSError, match=r"config\.json must name .* auto_map, and cannot be written .*: let the bootstrap"
    ):
        engine.load(UTILS, IMPORTABLE, "config-json").update_auto_map(str(checkpoint))


def test_a_right_config_json_may_be_read_only(engine, checkpoint):
    """Nothing is written then."""
    (checkpoint / "config.json").write_text(json.dumps({"auto_map": AUTO_MAP}))
    (checkpoint / f"config.json.{os.getpid()}").mkdir()
    engine.load(UTILS, IMPORTABLE, "config-json").update_auto_map(str(checkpoint))


def test_a_lora_checkpoint_is_saved(engine):
    """The worker finds the class that it never imported."""
    with pytest.raises(NameError, match="AutoModelForVision2Seq"):
        engine.load("verl.workers.fsdp_workers").RobActorRolloutRefWorker().save_checkpoint("/runs/a")
    worker = engine.load("verl.workers.fsdp_workers", "lora-save").RobActorRolloutRefWorker()
    assert worker.save_checkpoint("/runs/a") == "the model of /runs/a"


@pytest.mark.parametrize("path", ["/models/sft", "/models/sft/", "/models/sft//"])
def test_a_models_path_may_end_in_a_slash(engine, path):
    """As people and tab completion write folders."""
    assert engine.load("verl.utils.fs", "model-path").copy_local_path_from_hdfs(path) == "/models/sft"


def test_a_slash_at_the_end_was_refused(engine):
    """The fault."""
    with pytest.raises(AssertionError, match="the last character is /"):
        engine.load("verl.utils.fs").copy_local_path_from_hdfs("/models/sft/")
