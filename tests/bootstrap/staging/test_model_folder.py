"""A start's model folder: the engine's code, linked weights, and a shared model that nobody writes to."""

import json
import shutil

import pytest

from rlinf_runtime.bootstrap.staging import engine_code, model_folder
from rlinf_runtime.bootstrap.staging.weights import IncompleteError
from verl_runs import FAKE_TREE, weights

CODE = FAKE_TREE / "verl/utils/vla_utils/openvla_oft"


@pytest.fixture
def model(tmp_path):
    weights.make_model(tmp_path / "sft")
    return tmp_path / "sft"


@pytest.fixture
def stage(tmp_path, model):
    """Stages the model with the stand-in's code, or as the arguments say; the folder that was made."""

    def run(**others):
        defaults = {"model": model, "checkpoint": None, "tree": FAKE_TREE, "vla": "openvla-oft"}
        model_folder.stage(**{**defaults, **others}, into=tmp_path / "staged")
        return tmp_path / "staged"

    return run


def test_code_is_copied_and_weights_are_linked(stage, model):
    """The engine's five files are there, the statistics and the tokenizer too, and no weight is copied."""
    staged = stage()
    for name in ("configuration_prismatic", "constants", "modeling_prismatic", "processing_prismatic", "train_utils"):
        assert (staged / f"{name}.py").read_text() == (CODE / f"{name}.py").read_text()
        assert not (staged / f"{name}.py").is_symlink()
    assert not (staged / "config.json").is_symlink()
    assert (staged / "dataset_statistics.json").read_text() == (model / "dataset_statistics.json").read_text()
    shards = list(staged.glob("*.safetensors"))
    assert [shard.resolve().parent for shard in shards] == [model, model]
    assert weights.updates_in(staged) == 0


def test_a_read_only_model_works_and_stays_as_it_is(stage, model):
    """What is copied from it can be written all the same."""
    for path in model.iterdir():
        path.chmod(0o444)
    model.chmod(0o555)
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    staged = stage()
    assert (staged / "config.json").stat().st_mode & 0o200
    (staged / "config.json").write_text("{}")
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before
    model.chmod(0o755)


def test_a_checkpoint_brings_weights_and_the_model_the_rest(stage, model, tmp_path):
    """The model's own weights do not lie beside them, whatever they are called; a loader would take those first."""
    for shard in model.glob("model-*"):
        shard.unlink()
    (model / "model.safetensors.index.json").unlink()
    weights.save(tmp_path / "other", 0)
    shutil.copy(tmp_path / "other/model-00001-of-00002.safetensors", model / "model.safetensors")
    weights.save(tmp_path / "global_step_24", 25)
    staged = stage(checkpoint=tmp_path / "global_step_24")
    assert not (staged / "model.safetensors").exists()
    assert weights.updates_in(staged) == 25
    assert (staged / "dataset_statistics.json").is_file()
    assert (staged / "preprocessor_config.json").is_file()


def test_a_failure_leaves_no_folder_of_that_name(stage, model, tmp_path):
    """It is there as a whole or not at all; the next try is not in its way."""
    shard = model / "model-00002-of-00002.safetensors"
    content = shard.read_bytes()
    shard.write_bytes(content[:1000])
    with pytest.raises(IncompleteError, match="has 1000 of"):
        stage()
    assert not (tmp_path / "staged").exists()
    shard.write_bytes(content)
    assert weights.updates_in(stage()) == 0


def changed_tree(tmp_path, name, text):
    """The stand-in's tree with another file of code."""
    tree = tmp_path / "tree"
    shutil.copytree(FAKE_TREE, tree)
    (tree / "verl/utils/vla_utils/openvla_oft" / name).write_text(text)
    return tree


def test_an_engines_file_without_the_needed_class_does_not_replace_the_models(stage, model, tmp_path):
    """Discovery #29: the seeds' script destroyed processing_prismatic.py, which had PrismaticProcessor."""
    tree = changed_tree(tmp_path, "processing_prismatic.py", "class PrismaticImageProcessor: pass\n")
    staged = stage(tree=tree)
    assert (staged / "processing_prismatic.py").read_text() == (model / "processing_prismatic.py").read_text()
    assert engine_code.defines(staged / "processing_prismatic.py", "PrismaticProcessor")


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        (
            "modeling_prismatic.py",
            "class OpenVLA: pass\n",
            "modeling_prismatic.py does not define generate_action_verl",
        ),
        ("modeling_prismatic.py", "def generate_action_verl(:\n", "modeling_prismatic.py is no readable Python"),
        ("constants.py", "A = (\n", "constants.py is no readable Python"),
        ("constants.py", "A = '\0'\n", "constants.py is no readable Python"),
    ],
)
def test_code_that_the_engine_would_trip_over_is_named(stage, tmp_path, name, text, sentence):
    """Before anything starts, by the file and by what is missing in it."""
    with pytest.raises(engine_code.CodeError, match=sentence):
        stage(tree=changed_tree(tmp_path, name, text))


def test_a_model_without_an_engines_tree_must_have_the_code_itself(stage):
    """Its own modeling_prismatic.py is that of another project."""
    with pytest.raises(engine_code.CodeError, match="does not define generate_action_verl"):
        stage(tree=None)


def test_another_kind_of_model_needs_nothing_of_this(stage, model):
    """Its code stays as it is."""
    staged = stage(vla="another")
    assert (staged / "modeling_prismatic.py").read_text() == (model / "modeling_prismatic.py").read_text()


def test_the_code_beside_the_weights_is_the_one_that_is_imported(stage, model):
    """Published models name the classes of a hub's repository, which a pod without a way out cannot load."""
    hub = "openvla/openvla-7b--processing_prismatic"
    names = {
        "AutoProcessor": f"{hub}.PrismaticProcessor",
        "AutoTokenizer": [f"{hub}.Tokenizer", None],
        "AutoModel": "openvla/openvla-7b--elsewhere.Model",
        "AutoConfig": "configuration_prismatic.OpenVLAConfig",
    }
    (model / "preprocessor_config.json").write_text(json.dumps({"size": 224, "auto_map": names}))
    (model / "other.json").write_text('["auto_map"]')

    staged = stage()
    assert json.loads((staged / "preprocessor_config.json").read_text()) == {
        "size": 224,
        "auto_map": {
            "AutoProcessor": "processing_prismatic.PrismaticProcessor",
            "AutoTokenizer": ["processing_prismatic.Tokenizer", None],
            "AutoModel": "openvla/openvla-7b--elsewhere.Model",
            "AutoConfig": "configuration_prismatic.OpenVLAConfig",
        },
    }
    assert (staged / "other.json").read_text() == '["auto_map"]'
    assert hub in (model / "preprocessor_config.json").read_text()
