"""Environment variables that follow from the values; a variable of the same name in `environment` wins."""

from __future__ import annotations

from collections.abc import Mapping

from rlinf_charts.names import values
from rlinf_charts.resources import EFA_DEVICES, GPUS
from rlinf_charts.volumes import CACHE_FOLDER
from rlinf_constructs import helm
from rlinf_constructs.helm import Helper, MapOf, Only

# docs/efa.md says why each is here.
CURRENT_OF_NCCL = {
    # Not the loopback, nor bridges of containers, nor the link-local interface of EKS Pod Identity.
    "NCCL_SOCKET_IFNAME": "^lo,docker,veth,pod-id-link0",
}
CURRENT_OF_EFA = {
    "NCCL_NET_PLUGIN": "ofi",
}
SEEDS = {
    "FI_EFA_FORK_SAFE": "1",
    "FI_EFA_USE_DEVICE_RDMA": "1",
    "FI_PROVIDER": "efa",
    "NCCL_ALGO": "Ring,Tree",
    "NCCL_DEBUG": "WARN",
    "NCCL_PROTO": "Simple",
    "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
    "RAY_memory_monitor_refresh_ms": "0",
    "TOKENIZERS_PARALLELISM": "true",
    "TORCH_NCCL_AVOID_RECORD_STREAMS": "1",
    "TORCH_USE_CUDA_DSA": "1",
}


def _literals(variables: Mapping[str, str]) -> MapOf:
    return MapOf({name: helm.Literal(value) for name, value in variables.items()})


_is_current = values.efa.environment.equals("current")

ENVIRONMENT = Helper(
    name="rlinf.environment",
    body=MapOf(
        {},
        others=(
            Only(_is_current & (GPUS > 0), _literals(CURRENT_OF_NCCL)),
            Only(_is_current & (EFA_DEVICES > 0), _literals(CURRENT_OF_EFA)),
            Only(values.efa.environment.equals("seeds") & (GPUS > 0), _literals(SEEDS)),
            Only(values.storage.cache.volume, MapOf({"XDG_CACHE_HOME": CACHE_FOLDER})),
        ),
    ),
    about="Environment variables that follow from the values.",
)
