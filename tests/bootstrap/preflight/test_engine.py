"""The engine's start and code are looked at before any node waits for another."""

import sys

import pytest

from rlinf_runtime.bootstrap.preflight.engine import check
from tests_support import ROOT

FAKE_VERL = ROOT / "tests/bootstrap/fake_verl"


@pytest.fixture
def findings(config_of, hydra_of, model):
    """What the check says of a run of verl with a source tree and a whole model, as sentences."""

    def look(code, hydra=None, **options):
        return [
            str(each)
            for each in check(config_of("verl", {**hydra_of(model), **(hydra or {})}, code=code, **options), {})
        ]

    return look


def test_a_tree_with_its_code_passes(findings):
    """Its files take the place of the model's, which has none here."""
    assert findings(str(FAKE_VERL)) == []


def test_batches_that_do_not_divide_are_a_finding(findings):
    """In the words in which the engine's start is refused."""
    [sentence] = findings(str(FAKE_VERL), {"data": {"train_batch_size": 63}}, gpus=8)
    assert sentence.startswith("training describes no start of the engine: training.hydra: data.train_batch_size")


def test_a_rollout_by_vllm_is_refused_with_the_reason(findings, model):
    """The engine itself raises a bare ValueError, when all its workers have loaded the model."""
    rollout = {"model": {"path": str(model)}, "rollout": {"name": "vllm"}}
    assert findings(str(FAKE_VERL), {"actor_rollout_ref": rollout}) == [
        (
            "training describes no start of the engine: training.hydra: actor_rollout_ref.rollout.name is "
            "vllm, but the engine has no other rollout than hf for a VLA"
        )
    ]


def test_a_tree_that_is_not_on_this_node_is_named(findings, tmp_path):
    """Every node runs its code, at the same place."""
    sentences = findings(str(tmp_path / "SimpleVLA-RL"))
    assert sentences[0] == (
        f"training.code is {tmp_path}/SimpleVLA-RL, where verl/trainer/main_ppo.py is not on this node: name the "
        "engine verl's source tree, in the image or on a volume that every node mounts"
    )


def test_an_image_without_the_engine_is_said(findings, monkeypatch, tmp_path):
    """Wherever Python looks for packages, and whatever this process has imported before."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "verl", raising=False)
    sentences = findings("")
    assert sentences[0].startswith("image has no package verl for ")


def test_a_folder_that_has_the_engines_name_is_not_the_engine(findings, monkeypatch, tmp_path):
    """A clone beside the program: Python takes its outer folder for a package without modules."""
    (tmp_path / "verl/verl").mkdir(parents=True)
    (tmp_path / "verl/verl/__init__.py").touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "verl", raising=False)
    assert findings("")[0].startswith("image has no package verl for ")


def test_a_processor_that_was_overwritten_is_found(findings, model, tmp_path):
    """The seeds' script replaced processing_prismatic.py by one without the class that the model's processor is."""
    code = tmp_path / "tree/verl/utils/vla_utils/openvla_oft"
    code.mkdir(parents=True)
    (tmp_path / "tree/verl/trainer").mkdir()
    (tmp_path / "tree/verl/trainer/main_ppo.py").touch()
    (code / "modeling_prismatic.py").write_text("def generate_action_verl(): ...")
    (code / "processing_prismatic.py").write_text("class PrismaticImageProcessor: ...")
    (model / "processing_prismatic.py").write_text("import timm\n")
    [sentence] = findings(str(tmp_path / "tree"))
    assert sentence == (
        f"training.hydra.actor_rollout_ref.model.path needs PrismaticProcessor, which neither {code}/"
        f"processing_prismatic.py nor {model}/processing_prismatic.py defines: copy the model's own file again, or "
        "name the engine's source tree in training.code"
    )
    (model / "processing_prismatic.py").write_text("class PrismaticProcessor: ...")
    assert findings(str(tmp_path / "tree")) == []
