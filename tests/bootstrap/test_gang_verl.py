"""Engine verl on two nodes of a real Ray, with the stand-in for SimpleVLA-RL: what a gang survives, and how it ends."""

from verl_runs import checkpoint, records, verl_tree, weights


def test_a_run_trains_saves_and_ends(run_tree, start_pod, tmp_path):
    """It writes into its own start's folder, and never into the shared model."""
    tree = verl_tree(run_tree, tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "model").iterdir()}
    head, worker = start_pod(tree, 0), start_pod(tree, 1)
    assert (head.exit_code(), worker.exit_code()) == (0, 0), head.output + worker.output
    assert "2 ranks on 2 nodes, weights of update 0" in head.output
    assert weights.updates_in(checkpoint(tree, 1, 3)) == 4
    assert {path.name: path.read_bytes() for path in (tmp_path / "model").iterdir()} == before
    assert records(tree) == [
        {"resume": "auto", "model": str(tmp_path / "model"), "checkpoint": "", "first_step": 0, "first_epoch": 0}
    ]
