"""The chart's pods as processes of this machine; see `rlinf_charts.local.run`."""

from rlinf_charts.local.errors import LocalError
from rlinf_charts.local.machine import free_ports
from rlinf_charts.local.run import run_locally

__all__ = ["LocalError", "free_ports", "run_locally"]
