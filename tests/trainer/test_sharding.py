"""One rank against two: the same trajectories give the same gradient, however they are spread."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from rlinf_runtime.trainer.summaries import UpdateSummary

SCRIPT = Path(__file__).parent / "sharded_gradient.py"


@dataclass(frozen=True)
class Update:
    """What an update of all ranks did."""

    gradient: dict[str, torch.Tensor]
    pg_loss: float
    grad_norm: float


def update(folder: Path, *, counts: list[int], micro_batch_size: int) -> Update:
    """Runs one update in as many processes as there are counts."""
    folder.mkdir()
    shares = ",".join(map(str, counts))
    processes = [
        subprocess.Popen([sys.executable, str(SCRIPT), str(rank), shares, str(micro_batch_size), str(folder)])
        for rank in range(len(counts))
    ]
    assert [process.wait(timeout=120) for process in processes] == [0] * len(counts)
    results = [torch.load(folder / f"{rank}.pt", weights_only=False) for rank in range(len(counts))]
    summaries: list[UpdateSummary] = [result["summary"] for result in results]
    return Update(
        gradient=results[0]["gradient"],
        pg_loss=sum(summary.pg_loss for summary in summaries),
        grad_norm=summaries[0].grad_norm,
    )


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Update:
    """One rank with all seven trajectories in one pass."""
    return update(tmp_path_factory.mktemp("alone") / "run", counts=[7], micro_batch_size=8)


@pytest.mark.parametrize(
    ("counts", "micro_batch_size"),
    [
        pytest.param([4, 3], 8, id="even"),
        pytest.param([5, 2], 4, id="micro-batches, and one rank runs out"),
        pytest.param([7, 0], 8, id="one rank kept nothing"),
    ],
)
def test_two_ranks_have_the_gradient_of_one(tmp_path: Path, alone: Update, counts: list[int], micro_batch_size: int):
    """Gradient, loss and norm agree up to the order of additions."""
    together = update(tmp_path / "run", counts=counts, micro_batch_size=micro_batch_size)

    assert together.gradient.keys() == alone.gradient.keys()
    for name, gradient in alone.gradient.items():
        torch.testing.assert_close(together.gradient[name], gradient, rtol=1e-3, atol=1e-6, msg=name)
    assert together.pg_loss == pytest.approx(alone.pg_loss, rel=1e-4)
    assert together.grad_norm == pytest.approx(alone.grad_norm, rel=1e-4)
