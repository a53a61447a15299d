"""Environment variables that follow from the values; a variable of the same name in `extraEnv` wins."""

from __future__ import annotations

from collections.abc import Mapping

from rlinf_charts.names import FULLNAME, IS_KUBERAY, values
from rlinf_charts.resources import EFA_DEVICES, GPUS
from rlinf_charts.volumes import CACHE_FOLDER, RUN_FOLDER
from rlinf_constructs import helm
from rlinf_constructs.helm import Helper, MapOf, Only, call, fmt

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


_mlflow, _wandb = values.tracking.mlflow, values.tracking.wandb
_run_name = call("dict", "mlflow.runName", call("default", FULLNAME, _mlflow.run_name))


def _literals(variables: Mapping[str, str]) -> MapOf:
    return MapOf({name: helm.Literal(value) for name, value in variables.items()})


_is_current = values.efa.environment.equals("current")

ENVIRONMENT = Helper(
    name="rlinf.environment",
    body=MapOf(
        {},
        others=(
            # The stacks of an engine that hangs; the bootstrap sets it where it starts Ray itself.
            Only(IS_KUBERAY, _literals({"RAY_DASHBOARD_ENABLE_PROFILING": "1"})),
            Only(_is_current & (GPUS > 0), _literals(CURRENT_OF_NCCL)),
            Only(_is_current & (EFA_DEVICES > 0), _literals(CURRENT_OF_EFA)),
            Only(values.efa.environment.equals("seeds") & (GPUS > 0), _literals(SEEDS)),
            Only(
                _mlflow.tracking_uri,
                MapOf(
                    {
                        "MLFLOW_TRACKING_URI": _mlflow.tracking_uri,
                        "MLFLOW_EXPERIMENT_NAME": _mlflow.experiment,
                        # MLflow gives these tags to each run that it starts; there is no variable for the run's name.
                        "MLFLOW_RUN_CONTEXT": call("toRawJson", call("merge", _run_name, _mlflow.tags)),
                    }
                ),
            ),
            Only(_wandb.enabled, MapOf({"WANDB_PROJECT": _wandb.project, "WANDB_NAME": FULLNAME})),
            Only(_wandb.enabled & _wandb.entity, MapOf({"WANDB_ENTITY": _wandb.entity})),
            Only(_wandb.enabled & _wandb.base_url, MapOf({"WANDB_BASE_URL": _wandb.base_url})),
            Only(values.tracking.tensorboard.enabled, MapOf({"TENSORBOARD_DIR": fmt(RUN_FOLDER, "/tensorboard")})),
            # runtime/rlinf_runtime/bootstrap/patches/verl/validation_videos.py reads it, in every worker.
            Only(values.training.videos, MapOf({"RLINF_VIDEO_FOLDER": values.training.videos})),
            Only(values.storage.cache.volume, MapOf({"XDG_CACHE_HOME": CACHE_FOLDER})),
        ),
    ),
    about="Environment variables that follow from the values.",
)
