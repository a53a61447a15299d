"""A gang of engine verl under a real Ray, whose MLflow server is away for a while."""

import pytest

from verl_runs import verl_tree

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SLOW_S = 300
# Longer than the relay's longest pause.
STEPS = 90


@pytest.fixture
def tree(run_tree, tmp_path):
    tree = verl_tree(run_tree, tmp_path, step_s=1, steps_per_epoch=STEPS)
    tree["engine"]["hydra"]["trainer"] |= {"total_epochs": 1, "save_freq": STEPS}
    return tree


def test_a_server_that_is_away_for_a_while_lacks_nothing_in_the_end(tree, start_pod, gateway, experiment, at_server):
    """At the start and again amid the run: the engine goes on, and each step arrives once."""
    gateway.close()
    mlflow = {"MLFLOW_TRACKING_URI": gateway.address, "MLFLOW_EXPERIMENT_NAME": experiment}
    worker, head = start_pod(tree, 1), start_pod(tree, 0, **mlflow)
    head.wait_for_line("metrics wait in", within_s=SLOW_S)
    head.wait_for_line("step:2 ", within_s=SLOW_S)
    gateway.open()
    head.wait_for_line("metrics go to run", within_s=SLOW_S)
    gateway.close()
    head.wait_for_line(f"step:{STEPS - 5} ", within_s=SLOW_S)
    gateway.open()
    assert (head.exit_code(within_s=SLOW_S), worker.exit_code(within_s=SLOW_S)) == (0, 0), head.output
    run = at_server()
    assert run["status"] == "FINISHED"
    assert sorted(step for step, _ in run["points"]["train_verify_score/all"]) == list(range(STEPS))
    assert len(gateway.logged) == len(set(gateway.logged))
