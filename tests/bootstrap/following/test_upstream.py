"""The real trees: what is read of their output is what they print, and what is staged of them is whole.

RLINF_TEST_VERL_TREE names a checkout of PRIME-RL/SimpleVLA-RL, RLINF_TEST_RLINF_TREE one of RLinf/RLinf at tag v0.3.
"""

import importlib.util
import os
import re
from pathlib import Path

import pytest

from rlinf_runtime.bootstrap.following.run_log import RunLogs
from rlinf_runtime.bootstrap.staging import engine_code, model_folder
from verl_runs import weights

pytestmark = pytest.mark.upstream

VERL = os.environ.get("RLINF_TEST_VERL_TREE", "")
RLINF = os.environ.get("RLINF_TEST_RLINF_TREE", "")
needs_verl = pytest.mark.skipif(not VERL, reason="RLINF_TEST_VERL_TREE names no clone of PRIME-RL/SimpleVLA-RL")
needs_rlinf = pytest.mark.skipif(not RLINF, reason="RLINF_TEST_RLINF_TREE names no clone of RLinf/RLinf")


@needs_verl
def test_the_real_logger_writes_what_is_read(tmp_path, capsys):
    """Its own class, with numbers of a step and of a validation."""
    spec = importlib.util.spec_from_file_location("logger", Path(VERL, "verl/utils/logger/aggregate_logger.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    logger = module.LocalLogger(print_to_console=True, log_dir=str(tmp_path))
    logger.log({"timing/update_actor": 1.5}, 3)
    logger.log({"val/test_score/all": 0.25}, 4)
    assert [(line.step, dict(line.values)) for line in RunLogs(tmp_path).new()] == [
        (3, {"timing/update_actor": 1.5}),
        (4, {"val/test_score/all": 0.25}),
    ]


@needs_verl
@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("verl/trainer/ppo/ray_trainer.py", r"print\(f'Size of train dataloader: \{"),
        ("verl/trainer/ppo/ray_trainer.py", r'f"collected \{.*\} / \{.*\} rollouts'),
        ("verl/trainer/ppo/ray_trainer.py", r"print\('validation generation end'\)"),
        ("verl/trainer/ppo/ray_trainer.py", r"f'global_step_\{global_steps\}'"),
        ("verl/workers/fsdp_workers.py", r"print\(f'Saving actor checkpoint to \{local_path\}'\)"),
    ],
)
def test_verl_still_prints_what_is_listened_for(file, words):
    """In its own source, since it needs GPUs to say it."""
    assert re.search(words, Path(VERL, file).read_text())


@needs_verl
@pytest.mark.parametrize("vla", ["openvla", "openvla-oft"])
def test_the_real_code_is_staged_beside_a_models_weights(tmp_path, vla):
    """The files of its own overwrite script, with the class and the method that it calls."""
    weights.make_model(tmp_path / "model")
    model_folder.stage(model=tmp_path / "model", checkpoint=None, tree=Path(VERL), vla=vla, into=tmp_path / "staged")
    staged = {path.name for path in engine_code.files_for(vla, Path(VERL))}
    script = Path(VERL, "examples/overwrite_vla_ckpt_utils.sh").read_text()
    overwritten = set(re.findall(r"vla_utils/openvla_oft/(\w+\.py)", script))
    assert staged == overwritten or vla == "openvla"
    for name in staged:
        ours = (tmp_path / "staged" / name).read_bytes()
        assert ours == Path(VERL, engine_code.FOLDER_OF_VLA[vla], name).read_bytes()


@needs_rlinf
@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("rlinf/runners/embodied_runner.py", r'f"Saving checkpoint at step \{self\.global_step\}'),
        ("rlinf/runners/embodied_runner.py", r'f"checkpoints/global_step_\{self\.global_step\}"'),
        ("rlinf/utils/metric_utils.py", r'f"Global Step: \{'),
        ("rlinf/hybrid_engines/fsdp/strategy/base.py", r'"dcp_checkpoint"'),
    ],
)
def test_rlinf_still_prints_and_saves_what_is_looked_for(file, words):
    """In its own source."""
    assert re.search(words, Path(RLINF, file).read_text())
