"""Before a pod of KubeRay ends: the head stops the cluster's jobs, so that they save, and a worker waits for their end.

Kubernetes runs this as the pods' preStop hook. Ray itself would go down under the jobs, and their ranks with it.
"""

import ipaddress
import os
import struct
import time
from contextlib import suppress
from pathlib import Path

from . import log
from .dashboard import Dashboard
from .processes import Processes
from .ray_process import address
from .run_config import RunConfig

logger = log.of_step("stop")

_POLL_S = 0.5
_ESTABLISHED = "01"


def stop(config: RunConfig, processes: Processes) -> None:
    """Ends the jobs, or waits for their end, within `stop_s`."""
    until_s = time.monotonic() + config.deadlines.stop_s
    ip = head_ip(config.ray.port)
    if ip is None:
        return
    # A head that is gone has no jobs.
    with suppress(OSError):
        dashboard = Dashboard(address(ip, config.ray.dashboard_port), token=os.environ.get("RAY_AUTH_TOKEN"))
        if ip == os.environ.get("POD_IP") or ipaddress.ip_address(ip).is_loopback:
            for job in _running(dashboard):
                logger.info("stopping the job %s, which has %d s to save", job, config.deadlines.stop_s)
                dashboard.post(f"api/jobs/{job}/stop")
        while _running(dashboard) and time.monotonic() < until_s:
            processes.sleep(_POLL_S)


def head_ip(port: int) -> str | None:
    """Where this node's Ray is connected to; the head's name no longer resolves when its Service is deleted with it."""
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
            _, _, remote, state, *_ = line.split()
            words, _, remote_port = remote.partition(":")
            if state == _ESTABLISHED and int(remote_port, 16) == port:
                return _ip(words)
    return None


def _ip(words: str) -> str:
    """An address as the kernel prints it: 32-bit words in the machine's order of bytes."""
    packed = b"".join(struct.pack("=I", int(words[at : at + 8], 16)) for at in range(0, len(words), 8))
    found = ipaddress.ip_address(packed)
    return str(getattr(found, "ipv4_mapped", None) or found)


def _running(dashboard: Dashboard) -> list[str]:
    """Ids of the submitted jobs that have not ended."""
    jobs = dashboard.get("api/jobs/")
    return [
        job["submission_id"] for job in jobs if job.get("submission_id") and job["status"] in ("PENDING", "RUNNING")
    ]
