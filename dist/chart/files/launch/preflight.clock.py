"""This node's clock against the file server's: signed requests, tokens and the order of files depend on it."""

import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..run_config import RunConfig
from .finding import Finding

_MOST_S = 30.0


def check(config: RunConfig, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Compares the time of a fresh file in the run folder; where clients stamp files themselves, it always passes."""
    del environ
    probe = Path(config.folder, f".clock.{uuid.uuid4().hex}")
    try:
        before_s = time.time()
        probe.touch()
        stamp_s = probe.stat().st_mtime
        after_s = time.time()
        probe.unlink()
    except OSError:
        # The run folder has a check of its own.
        return
    skew_s = max(before_s - stamp_s, stamp_s - after_s)
    if skew_s > _MOST_S:
        yield Finding(
            key="the clock",
            wrong=f"of this node is {skew_s:.0f} s away from that of the run folder's file server",
            remedy="let chrony or the Amazon Time Sync Service set it, or take the node out of service",
        )
