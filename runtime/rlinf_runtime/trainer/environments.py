"""Environment worker processes, as seen by the training process.

Every worker is a Python process of its own that alone imports MuJoCo; it serves one request at a time over a pipe and
ends when the pipe closes, so that it never outlives its owner, not even after kill -9.

    training process ── Reset, Step, Demonstrate, Film ──> environment_worker
                     <── Observations, StepResults, Demonstrations, frames ──
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from multiprocessing import Pipe
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlinf_runtime.trainer.episodes import Episode
from rlinf_runtime.trainer.errors import TrainerError

_REPLY_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Reset:
    """Start these episodes, in the slots 0, 1, ...; the reply is `Observations` of all."""

    episodes: tuple[Episode, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """Execute one chunk of actions in each of the given slots; the reply is `StepResults`."""

    slots: NDArray[np.int64]  # [N]
    actions: NDArray[np.float32]  # [N, chunk, 3]


@dataclass(frozen=True, slots=True)
class Demonstrate:
    """Let the scripted expert run these episodes; the reply is `Demonstrations`."""

    episodes: tuple[Episode, ...]
    chunk_len: int
    tool_offset_m: tuple[float, float]
    action_noise: float
    """Standard deviation of the executed actions around the plan, per control step."""
    chunk_noise: float
    """The same, shared by all control steps of a chunk."""


@dataclass(frozen=True, slots=True)
class Film:
    """Replay these actions and render every control step large; the reply is uint8 [frames, height, width, 3]."""

    episode: Episode
    actions: NDArray[np.float32]  # [steps, 3]


@dataclass(frozen=True, slots=True)
class Observations:
    """What the policy sees."""

    images: NDArray[np.uint8]  # [N, 64, 64, 3]
    tips: NDArray[np.float32]  # [N, 3], the commanded tip in metres


@dataclass(frozen=True, slots=True)
class StepResults:
    """What one chunk did."""

    finished: NDArray[np.bool_]  # [N]
    success: NDArray[np.bool_]  # [N]
    num_steps: NDArray[np.int64]  # [N], control steps that this chunk executed before its episode ended
    observations: Observations  # of the episodes that go on, in the order of `slots`


@dataclass(frozen=True, slots=True)
class Demonstrations:
    """States of demonstrated episodes with the expert's clean plan as label."""

    images: NDArray[np.uint8]  # [N, 64, 64, 3]
    tips: NDArray[np.float32]  # [N, 3]
    instructions: NDArray[np.int64]  # [N, tokens]
    actions: NDArray[np.float32]  # [N, chunk, 3]


Request = Reset | Step | Demonstrate | Film


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """The reply to a request that raised."""

    message: str


class _Worker:
    """One worker process and its pipe."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "rlinf_runtime.trainer.environment_worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=_worker_environment(),
                stdin=subprocess.DEVNULL,
            )

    def send(self, request: Request) -> None:
        try:
            self._pipe.send(request)
        except OSError:
            # A worker that ended says why in its last reply.
            self.receive()
            raise

    def receive(self) -> Any:
        try:
            if not self._pipe.poll(_REPLY_TIMEOUT_S):
                raise TrainerError(
                    f"environment worker {self._process.pid} did not answer for {_REPLY_TIMEOUT_S:.0f} s"
                )
            reply = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise self._ended() from error
        if isinstance(reply, WorkerFailure):
            raise TrainerError(f"environment worker {self._process.pid} failed: {reply.message}")
        return reply

    def _ended(self) -> TrainerError:
        return TrainerError(f"environment worker {self._process.pid} ended with code {self._process.wait()}")

    def close(self) -> None:
        self._pipe.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _worker_environment() -> dict[str, str]:
    # LP_NUM_THREADS=0: the software renderer draws in this process instead of a thread for each core.
    return {"MUJOCO_GL": "egl", **os.environ, "LP_NUM_THREADS": "0", "OMP_NUM_THREADS": "1"}


class Environments:
    """A batch of episodes that advance together, spread over the worker processes of one rank."""

    def __init__(self, num_workers: int) -> None:
        """Starts the workers; they load MuJoCo while the caller goes on."""
        self._workers = [_Worker() for _ in range(num_workers)]
        self._worker_of_slot = np.empty(0, dtype=np.int64)
        self._offset = np.empty(0, dtype=np.int64)

    def reset(self, episodes: list[Episode]) -> Observations:
        """Starts the episodes and returns the first observations, in their order.

        Raises:
            TrainerError: a worker failed, ended or did not answer (so also for `step`, `demonstrate` and `film`).
        """
        shares = np.array_split(np.arange(len(episodes)), len(self._workers))
        self._worker_of_slot = np.repeat(np.arange(len(shares)), [len(share) for share in shares])
        self._offset = np.array([share[0] if len(share) else 0 for share in shares])
        return _concatenate(self._ask([Reset(tuple(episodes[index] for index in share)) for share in shares]))

    def step(self, slots: NDArray[np.int64], actions: NDArray[np.float32]) -> StepResults:
        """Executes one chunk of actions, [N, chunk, 3], in the episodes `slots`, ascending [N]."""
        requests = [
            Step(slots[mine] - self._offset[worker], actions[mine])
            for worker, mine in enumerate(self._worker_of_slot[slots] == worker for worker in range(len(self._workers)))
        ]
        replies: list[StepResults] = self._ask(requests)
        return StepResults(
            finished=np.concatenate([reply.finished for reply in replies]),
            success=np.concatenate([reply.success for reply in replies]),
            num_steps=np.concatenate([reply.num_steps for reply in replies]),
            observations=_concatenate([reply.observations for reply in replies]),
        )

    def demonstrate(self, request: Demonstrate) -> Demonstrations:
        """Runs the scripted expert."""
        shares = np.array_split(np.arange(len(request.episodes)), len(self._workers))
        replies: list[Demonstrations] = self._ask(
            [
                Demonstrate(
                    episodes=tuple(request.episodes[index] for index in share),
                    chunk_len=request.chunk_len,
                    tool_offset_m=request.tool_offset_m,
                    action_noise=request.action_noise,
                    chunk_noise=request.chunk_noise,
                )
                for share in shares
            ]
        )
        return Demonstrations(
            images=np.concatenate([reply.images for reply in replies]),
            tips=np.concatenate([reply.tips for reply in replies]),
            instructions=np.concatenate([reply.instructions for reply in replies]),
            actions=np.concatenate([reply.actions for reply in replies]),
        )

    def film(self, request: Film) -> NDArray[np.uint8]:
        """Replays one episode for people to look at."""
        self._workers[0].send(request)
        return self._workers[0].receive()

    def close(self) -> None:
        """Ends the workers."""
        for worker in self._workers:
            worker.close()

    def _ask(self, requests: list[Any]) -> list[Any]:
        for worker, request in zip(self._workers, requests, strict=True):
            worker.send(request)
        return [worker.receive() for worker in self._workers]


def _concatenate(parts: list[Observations]) -> Observations:
    return Observations(
        images=np.concatenate([part.images for part in parts]), tips=np.concatenate([part.tips for part in parts])
    )
