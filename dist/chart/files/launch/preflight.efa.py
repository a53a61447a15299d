"""EFA: the devices, libfabric's provider, and NCCL's plugin; without any of them NCCL takes TCP and says nothing."""

import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..run_config import RunConfig
from .child import ChildError, ask
from .finding import Finding

_ANSWER_S = 20.0
_DEVICE = re.compile(r"uverbs\d+")
_TOOLS = "/opt/amazon/efa/bin"
_PLUGINS = ("libnccl-net.so", "libnccl-net-ofi.so")
# Where AWS's installers and images have put it; only some of them tell the loader.
_PLUGIN_FOLDERS = (
    "/opt/amazon/ofi-nccl/lib",
    "/opt/amazon/ofi-nccl/lib/x86_64-linux-gnu",
    "/opt/amazon/aws-ofi-nccl/lib",
    "/opt/aws-ofi-nccl/lib",
    "/opt/aws-ofi-nccl/install/lib",
)
# In a program of its own, for the plugin starts threads; the reason is that of the last one tried.
_LOAD = """
import ctypes, sys
for name in sys.argv[1:]:
    try:
        sys.exit(0 if ctypes.CDLL(name) else 1)
    except OSError as error:
        reason = error
sys.exit(str(reason))
"""


def check(
    config: RunConfig,
    environ: Mapping[str, str],
    *,
    devices: Path = Path("/dev/infiniband"),
    plugin_folders: Sequence[str] = _PLUGIN_FOLDERS,
) -> Iterator[Finding]:
    """Counts the device files, asks libfabric for its provider efa, and loads NCCL's plugin as NCCL would."""
    wanted = config.nodes.efa_devices
    if not wanted:
        return
    found = sum(1 for path in devices.iterdir() if _DEVICE.fullmatch(path.name)) if devices.is_dir() else 0
    if found < wanted:
        yield Finding(
            key="efa.devices",
            wrong=f"is {wanted}, but this pod has {found} in {devices}",
            remedy="run the EFA device plugin on the nodes, or set what their instance type has",
        )
        return
    yield from _provider(environ)
    yield from _plugin(environ, plugin_folders)


def _provider(environ: Mapping[str, str]) -> Iterator[Finding]:
    tool = shutil.which("fi_info", path=f"{environ.get('PATH', '')}:{_TOOLS}")
    if tool is None:
        return
    try:
        ask([tool, "-p", "efa", "-t", "FI_EP_RDM"], environ, within_s=_ANSWER_S)
    except ChildError as error:
        yield Finding(
            key="efa.enabled",
            wrong=f"is true, but libfabric has no provider efa here ({error})",
            remedy="install the EFA installer's libfabric into the image, and let the nodes' security group allow all "
            "traffic to itself",
        )


def _plugin(environ: Mapping[str, str], folders: Sequence[str]) -> Iterator[Finding]:
    chosen = environ.get("NCCL_NET_PLUGIN", "")
    if chosen == "none":
        return
    # NCCL takes no other than the one that is named, as the file itself or by what comes after libnccl-net-.
    names = (chosen, f"libnccl-net-{chosen}.so") if chosen else _PLUGINS
    try:
        ask([sys.executable, "-I", "-S", "-c", _LOAD, *names], environ, within_s=_ANSWER_S)
    except ChildError as error:
        found = next((folder for folder in folders for name in names if Path(folder, name).exists()), None)
        before = environ.get("LD_LIBRARY_PATH", "")
        yield Finding(
            key="image",
            wrong=f"has no plugin by which NCCL could use EFA ({error})",
            remedy="install aws-ofi-nccl and put its folder into LD_LIBRARY_PATH, for NCCL would take TCP without a "
            "word; an old one that is called libnccl-net.so is taken with efa.environment=none"
            if found is None
            else f"it lies in {found}, where the loader does not look: set extraEnv.LD_LIBRARY_PATH="
            f"{':'.join(filter(None, (found, before)))}",
        )
