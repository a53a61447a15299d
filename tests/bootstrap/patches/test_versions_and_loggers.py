"""A vLLM that nobody uses, and a logger that the tree does not know."""

import pytest


def test_a_new_vllm_breaks_the_import_of_the_workers(engine):
    """The fault, though the rollout is not vLLM's."""
    engine.install("vllm", "0.9.2")
    with pytest.raises(ValueError, match=r"vllm version 0\.9\.2 not supported"):
        engine.load("verl.workers.hybrid_engine")


def test_a_new_vllm_counts_as_not_installed(engine):
    """The cure."""
    engine.install("vllm", "0.9.2")
    assert engine.load("verl.workers.hybrid_engine", "vllm-version").is_vllm_available() is False


def test_a_supported_vllm_stays(engine):
    """One of the four."""
    engine.install("vllm", "0.6.3")
    assert engine.load("verl.workers.hybrid_engine", "vllm-version").is_vllm_available() is True
    assert engine.log == ["not needed: vllm-version (vLLM 0.6.3 is supported)"]


def test_mlflow_is_an_assertion_error(engine):
    """The fault."""
    with pytest.raises(AssertionError, match="mlflow is not supported"):
        engine.load("verl.utils.tracking").Tracking("rlinf", "traj1", ["console", "mlflow"])


@pytest.mark.parametrize(
    ("given", "used"),
    [(["console", "mlflow"], ["console"]), (["mlflow", "wandb"], ["console", "wandb"]), ("mlflow", ["console"])],
)
def test_mlflow_means_the_consoles_log_file(engine, given, used):
    """The relay sends to MLflow what that file says."""
    tracking = engine.load("verl.utils.tracking", "loggers").Tracking
    assert tracking(project_name="rlinf", experiment_name="traj1", default_backend=given).backends == used


def test_another_unknown_logger_is_refused_as_before(engine):
    """Its name stands in the error."""
    with pytest.raises(AssertionError, match="tensorbord is not supported"):
        engine.load("verl.utils.tracking", "loggers").Tracking("rlinf", "traj1", ["tensorbord"])
