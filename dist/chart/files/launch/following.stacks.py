"""The stacks of all of a cluster's Python processes, for those who ask why an engine hangs.

Ray's dashboard runs py-spy on each node (it comes with ray[default]). Where it may not trace, the engine's driver still
prints its own stacks at SIGUSR1: patches/drive.py and our own trainer see to that.
"""

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from .. import log
from ..dashboard import Dashboard
from ..exit_codes import BootstrapError
from ..processes import Child

logger = log.of_step("stacks")

_WORKERS = "api/v0/workers?limit=1000&filter_keys=is_alive&filter_predicates=%3D&filter_values=true"
_DEADLINE_S = 20.0
_AT_ONCE = 8
_TYPES = ("WORKER", "DRIVER")
_NONE = "no stack"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Process:
    ip: str
    pid: int


def log_all(dashboard: Dashboard, driver: Child) -> None:
    """Logs the stacks of the driver and of every worker, on all nodes."""
    try:
        processes = list(_processes(dashboard.get(_WORKERS)))
    except (OSError, BootstrapError) as error:
        logger.warning("no stacks: Ray's dashboard does not name its processes: %s", error)
        processes = []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        texts = list(pool.map(lambda process: _stack(dashboard, process), processes))
    for process, text in zip(processes, texts, strict=True):
        logger.info("process %d on %s:", process.pid, process.ip)
        for line in text.splitlines():
            logger.info("  %s", line)
    # The driver among them.
    if not texts or any(text.startswith(_NONE) for text in texts):
        driver.send(signal.SIGUSR1)


def _processes(answer: Any) -> Iterator[_Process]:
    for worker in answer["data"]["result"]["result"]:
        if worker["worker_type"] in _TYPES and worker["pid"]:
            yield _Process(ip=worker["ip"], pid=worker["pid"])


def _stack(dashboard: Dashboard, process: _Process) -> str:
    try:
        return dashboard.text(f"worker/traceback?ip={process.ip}&pid={process.pid}", within_s=_DEADLINE_S)
    except OSError as error:
        return f"{_NONE}: {error}"
