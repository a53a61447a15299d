"""The GPUs of this node against those that the run counts on."""

import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..run_config import RunConfig
from .child import ChildError, ask
from .finding import Finding

_ANSWER_S = 30.0
_DEVICE = re.compile(r"nvidia\d+")
_RESERVED = "give the pods nodes with that many free (nodes.gpus becomes the limit nvidia.com/gpu)"


def check(config: RunConfig, environ: Mapping[str, str], *, devices: Path = Path("/dev")) -> Iterator[Finding]:
    """Counts what the driver lists; without its tool, the device files."""
    wanted = config.nodes.gpus
    if not wanted:
        return
    tool = shutil.which("nvidia-smi", path=environ.get("PATH"))
    if tool is None:
        found = sum(1 for path in devices.iterdir() if _DEVICE.fullmatch(path.name))
        source = f"device files in {devices}"
    else:
        try:
            lines = ask([tool, "-L"], environ, within_s=_ANSWER_S).splitlines()
        except ChildError as error:
            yield Finding(
                key="nodes.gpus",
                wrong=f"is {wanted}, but nvidia-smi fails on this node: {error}",
                remedy="look at the node's driver (dmesg, Xid errors), and cordon the node",
            )
            return
        found = sum(1 for line in lines if line.startswith("GPU "))
        source = "nvidia-smi -L"
    if found < wanted:
        yield Finding(key="nodes.gpus", wrong=f"is {wanted}, but this pod has {found} ({source})", remedy=_RESERVED)
