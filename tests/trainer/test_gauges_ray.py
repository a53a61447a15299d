"""The run's metrics, scraped from a real Ray as Prometheus does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress

import pytest

from port_numbers import next_ports

pytestmark = pytest.mark.xdist_group("ray")

RUN = """
import ray, sys
from rlinf_runtime.trainer.gauges import Gauges

ray.init(num_cpus=1, include_dashboard=False, _metrics_export_port=int(sys.argv[1]))
gauges = Gauges()
gauges.publish(6, {"val/success_rate": 0.25, "perf/env_steps_per_s": 12.0})
gauges.publish(7, {"perf/env_steps_per_s": 13.5})
print("published", flush=True)
sys.stdin.read()
"""


def scraped(port: int, name: str, *, within_s: float) -> dict[str, float]:
    """The values of our metrics, once the named one is there: Ray hands them on every few seconds."""
    deadline = time.monotonic() + within_s
    text = ""
    while f"\n{name}" not in text:
        assert time.monotonic() < deadline, f"no {name} after {within_s} s in:\n{text[-2000:]}"
        time.sleep(0.5)
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            text = answer.read().decode()
    found = re.findall(r"^(ray_rlinf_\w+)(?:\{[^}]*\})? (\S+)$", text, flags=re.MULTILINE)
    return {metric: float(value) for metric, value in found}


def test_step_success_rate_and_throughput_are_scraped() -> None:
    """The newest values, under names that Prometheus takes."""
    (port,) = next_ports()
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
    with subprocess.Popen(
        [sys.executable, "-c", RUN, str(port)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        assert any(line == "published\n" for line in run.stdout)

        assert scraped(port, "ray_rlinf_step", within_s=60) == {
            "ray_rlinf_step": 7,
            "ray_rlinf_val_success_rate": 0.25,
            "ray_rlinf_perf_env_steps_per_s": 13.5,
        }
        assert run.stdin is not None
        run.stdin.close()
