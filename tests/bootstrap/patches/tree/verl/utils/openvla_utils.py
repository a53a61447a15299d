"""Changes files of the checkpoint in place."""

# ruff: noqa: PTH118, PTH123 - as upstream has it

import json
import os
import shutil
import time

import tensorflow as tf  # noqa: F401


def update_auto_map(pretrained_checkpoint):
    path = os.path.join(pretrained_checkpoint, "config.json")
    shutil.copy2(path, f"{path}.back.{time.time_ns()}")
    with open(path) as file:
        config = json.load(file)
    config["auto_map"] = {
        "AutoConfig": "configuration_prismatic.OpenVLAConfig",
        "AutoModelForVision2Seq": "modeling_prismatic.OpenVLAForActionPrediction",
    }
    with open(path, "w") as file:
        json.dump(config, file)


def _handle_file_sync(current, checkpoint):
    shutil.copy2(current, checkpoint)


def check_model_logic_mismatch(pretrained_checkpoint):
    for folder, _, files in os.walk("./prismatic/"):
        for name in files:
            _handle_file_sync(os.path.join(folder, name), os.path.join(pretrained_checkpoint, name))
