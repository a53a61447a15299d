"""Runs of engine verl for tests: two nodes with one pretended GPU each, and the stand-in for SimpleVLA-RL."""

import importlib.util
import json
from pathlib import Path

FAKE_TREE = Path(__file__).parent / "bootstrap/fake_verl"


def _import(name):
    spec = importlib.util.spec_from_file_location(name, FAKE_TREE / f"verl/utils/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


weights = _import("weights")


def verl_tree(tree, folder, **fake):
    """A run of engine verl, of a model that it makes in a folder; `fake` are the stand-in's keys."""
    model = folder / "model"
    if not model.exists():
        weights.make_model(model)
    trainer = {"total_epochs": 2, "save_freq": 2, "val_before_train": False, "test_freq": 1000}
    hydra = {"actor_rollout_ref": {"model": {"path": str(model)}}, "trainer": trainer}
    return {
        **tree,
        "nodes": {**tree["nodes"], "count": 2, "gpus": 1},
        "ray": {**tree["ray"], "num_cpus": 2},
        "deadlines": {"start_s": 180, "join_s": 180, "stop_s": 12},
        # This machine has no GPU.
        "preflight": {"enabled": False, "skip": []},
        "engine": {
            "name": "verl",
            "code": str(FAKE_TREE),
            "config_folder": "",
            "config_name": "",
            "hydra": {**hydra, "+fake": fake} if fake else hydra,
            "patches_off": [],
        },
    }


def records(tree):
    """What each start went on from."""
    folders = sorted(Path(tree["folder"], "attempts").iterdir(), key=lambda path: int(path.name))
    return [json.loads((folder / "attempt.json").read_text()) for folder in folders]


def checkpoint(tree, attempt, step):
    """The folder of a checkpoint."""
    return Path(tree["folder"], f"attempts/{attempt}/checkpoints/actor/global_step_{step}")
