"""run.json is parsed into typed, frozen data, or refused with a sentence that says what to change."""

import copy
import dataclasses
import hashlib
import json

import pytest

from rlinf_runtime.bootstrap import run_config
from rlinf_runtime.bootstrap.exit_codes import BootstrapError, ExitCode


def parsed(tree):
    return run_config.from_json(json.dumps(tree)).config


def changed(tree, path, value):
    """A copy of the tree with another value at a dotted path."""
    tree = copy.deepcopy(tree)
    *parents, last = path.split(".")
    node = tree
    for parent in parents:
        node = node[parent]
    node[last] = value
    return tree


def test_every_key_arrives(run_tree):
    """The dataclasses carry what the JSON says, key by key."""
    assert dataclasses.asdict(parsed(run_tree)) == run_tree


def test_the_digest_is_that_of_the_text(run_tree):
    """Anyone can check a marker with sha256sum."""
    text = json.dumps(run_tree)
    assert run_config.from_json(text).digest == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(("gpus", "world_size"), [(0, 2), (1, 2), (8, 16)])
def test_the_world_is_one_rank_a_gpu_or_one_a_node(run_tree, gpus, world_size):
    """Without GPUs each node has one rank."""
    assert parsed(changed(run_tree, "nodes.gpus", gpus)).world_size == world_size


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("schema_version", 2, "run.json: schema_version is 2, but must be 1"),
        ("schema_version", True, "run.json: schema_version is true, but must be 1"),
        (
            "nodes.gpu",
            8,
            "run.json: nodes.gpu is not a known key (did you mean gpus?); known here: count, gpus, efa_devices",
        ),
        ("nodes.count", 0, "run.json: nodes.count is 0, but must be a whole number of at least 1"),
        ("nodes.count", "2", 'run.json: nodes.count is "2", but must be a whole number of at least 1'),
        ("nodes", [2], "run.json: nodes is [2], but must be an object"),
        ("ray.port", 80, "run.json: ray.port is 80, but must be a whole number from 1024 to 65535"),
        ("ray.head_host", "", 'run.json: ray.head_host is "", but must be a host name or an IP address'),
        ("preflight.enabled", 1, "run.json: preflight.enabled is 1, but must be true or false"),
        ("preflight.skip", "efa", 'run.json: preflight.skip is "efa", but must be a list of texts'),
        ("folder", "runs", 'run.json: folder is "runs", but must be an absolute path'),
        (
            "engine.name",
            "nativ",
            'run.json: engine.name is "nativ", but must be "native" or "verl" or "rlinf" (did you mean native?)',
        ),
        ("engine.hydra", None, "run.json: engine.hydra is null, but must be an object"),
        ("engine.code", "src", 'run.json: engine.code is "src", but must be an absolute path, or empty'),
        ("engine.patches_off", "all", 'run.json: engine.patches_off is "all", but must be a list of texts'),
        ("engine.patches_off", [1], "run.json: engine.patches_off is [1], but must be a list of texts"),
        ("on_finish", "stop", 'run.json: on_finish is "stop", but must be "hold" or "exit"'),
        ("deadlines.stop_s", 1.5, "run.json: deadlines.stop_s is 1.5, but must be a whole number of at least 1"),
    ],
)
def test_a_wrong_value_is_refused_in_one_sentence(run_tree, path, value, sentence):
    """The sentence names the key, the value and what is allowed."""
    with pytest.raises(BootstrapError) as refusal:
        parsed(changed(run_tree, path, value))
    assert str(refusal.value) == sentence
    assert refusal.value.exit_code is ExitCode.CONFIG


@pytest.mark.parametrize("path", ["name", "nodes.count", "deadlines.join_s", "engine.hydra"])
def test_a_missing_key_is_refused(run_tree, path):
    """Nothing has a default here: the chart renders every key."""
    *parents, last = path.split(".")
    node = run_tree
    for parent in parents:
        node = node[parent]
    del node[last]
    with pytest.raises(BootstrapError, match=f"^run.json: {path} is missing;"):
        parsed(run_tree)


def test_what_is_no_json_is_refused(tmp_path):
    """So is a file that is not there."""
    with pytest.raises(BootstrapError, match=r"^run\.json: not JSON: "):
        run_config.from_json("{")
    with pytest.raises(BootstrapError, match=r"^run\.json: cannot read "):
        run_config.from_file(tmp_path / "run.json")
