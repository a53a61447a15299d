"""A model folder is looked at before any rank loads it."""

import pytest

from rlinf_runtime.bootstrap.preflight.model import check, float32_bytes

KEY = "training.hydra.actor_rollout_ref.model.path"
SHARD = "model-00002-of-00002.safetensors"


@pytest.fixture
def findings(config_of, hydra_of):
    """What the check says of a folder, as sentences."""
    return lambda folder, hydra=None: [str(each) for each in check(config_of("verl", hydra or hydra_of(folder)), {})]


def test_a_complete_folder_passes(findings, model):
    """Configuration, tokenizer, both shards, statistics under the key with _no_noops."""
    assert findings(model) == []


def test_a_folder_that_is_not_there_is_named(findings, tmp_path):
    """The volume that should hold it is not mounted."""
    assert findings(tmp_path / "models/openvla") == [
        (
            f"{KEY} is {tmp_path}/models/openvla, which is no folder on this node: put the model there, or set "
            "storage.models so that its volume is mounted on every node"
        )
    ]


def test_everything_that_is_wrong_is_said_at_once(findings, tmp_path):
    """An empty folder misses all three."""
    (tmp_path / "empty").mkdir()
    wrong = [sentence.partition(", ")[2].rpartition(":")[0] for sentence in findings(tmp_path / "empty")]
    assert wrong == [
        "which has no config.json",
        "which has no tokenizer (tokenizer.json, tokenizer.model, tokenizer_config.json, vocab.json)",
        (
            "whose weights are not whole: none of model.safetensors.index.json, pytorch_model.bin.index.json, "
            "model.safetensors, pytorch_model.bin is there"
        ),
    ]


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"", "is empty: copy it again"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 6948961960\n",
            "is a pointer of Git LFS in place of the file: run `git lfs pull` in the clone, or use `hf download`",
        ),
    ],
    ids=["empty", "pointer"],
)
def test_a_shard_that_is_none_is_refused(findings, model, content, wrong):
    """What broken downloads leave."""
    (model / SHARD).write_bytes(content)
    assert findings(model) == [f"{KEY} is {model}, whose {SHARD} {wrong}"]


def test_a_shard_that_was_cut_short_is_refused(findings, model):
    """Its header says how long it is."""
    whole = (model / SHARD).read_bytes()
    (model / SHARD).write_bytes(whole[:-500])
    [sentence] = findings(model)
    assert f"whose weights are not whole: {SHARD} has 578 of 1078 bytes: copy the model's whole folder" in sentence


def test_a_shard_that_is_missing_is_refused(findings, model):
    """The index lists it."""
    (model / SHARD).unlink()
    assert findings(model) == [f"{KEY} is {model}, which has no {SHARD}: copy the model's whole folder"]


def test_a_link_into_a_cache_that_was_left_behind_is_refused(findings, model):
    """A snapshot of the Hugging Face cache holds links to its blobs."""
    (model / SHARD).unlink()
    (model / SHARD).symlink_to("../../blobs/4d7a")
    [sentence] = findings(model)
    assert f"whose {SHARD} is a link to ../../blobs/4d7a, which is not here: copy what the links point to" in sentence


def test_statistics_of_another_suite_are_refused(findings, model, hydra_of):
    """The sentence says which the model has."""
    sentences = findings(model, {"data": {"task_suite_name": "libero_goal"}, **hydra_of(model)})
    assert sentences == [
        (
            f"{KEY} is {model}, whose dataset_statistics.json has no statistics for libero_goal (it has "
            "libero_10_no_noops): set training.hydra.actor_rollout_ref.rollout.unnorm_key to one that it has, or copy "
            f"the file that was written when this model was trained to {model}/dataset_statistics.json"
        )
    ]


def test_statistics_may_be_in_the_configuration(findings, model):
    """As the published models have them."""
    (model / "dataset_statistics.json").unlink()
    (model / "config.json").write_text('{"norm_stats": {"libero_10": {}}}')
    assert findings(model) == []


@pytest.mark.parametrize("path", ["org/model", "${oc.env:MODEL}", None])
def test_what_is_no_local_folder_is_left_to_the_engine(findings, path):
    """Names of a hub, Hydra's references, and nothing at all."""
    assert findings(None, {"actor_rollout_ref": {"model": {"path": path}}}) == []


def test_the_native_engine_looks_at_its_policies_itself(config_of, hydra_of, tmp_path):
    """They have no tokenizer, and a folder that is not there yet is made from demonstrations."""
    policy = tmp_path / "policy"
    assert list(check(config_of("native", hydra_of(policy)), {})) == []
    policy.mkdir()
    assert list(check(config_of("native", hydra_of(policy)), {})) == []


def test_the_size_in_float32_follows_the_type_of_the_weights(model):
    """Two bytes a number become four."""
    on_disk = sum(path.stat().st_size for path in model.glob("*.safetensors"))
    assert float32_bytes(model) == 2 * on_disk
    (model / "config.json").write_text('{"torch_dtype": "float32"}')
    assert float32_bytes(model) == on_disk
