"""`run.json`: the whole resolved run, as the bootstrap reads it."""

from __future__ import annotations

from rlinf_charts.names import FULLNAME, HAS_SEPARATE_HEAD, HEAD_HOST, IS_AUTOSCALED, values
from rlinf_charts.resources import EFA_DEVICES, GPUS
from rlinf_charts.volumes import RUN_FOLDER
from rlinf_constructs.helm import Helper, JsonText, call, conditional

WORLD_SIZE = Helper(
    name="rlinf.worldSize",
    body=values.nodes.count * call("max", GPUS, 1),
    about="Number of ranks: one a GPU, or one a node without GPUs.",
)

PODS = Helper(
    name="rlinf.pods",
    body=values.nodes.count + conditional(HAS_SEPARATE_HEAD, 1, 0),
    about="Number of pods: one a node, and a head that stands beside them.",
)

RAY_CPUS = Helper(
    name="rlinf.rayCpus",
    body=call("default", call("max", GPUS * 2, 2), values.ray.cpus),
    about="CPUs that one node offers to Ray.",
)

RUN = Helper(
    name="rlinf.run",
    body=JsonText(
        {
            "schema_version": 1,
            "name": FULLNAME,
            "folder": RUN_FOLDER,
            "nodes": {"count": values.nodes.count, "gpus": GPUS, "efa_devices": EFA_DEVICES},
            "ray": {
                "head_host": HEAD_HOST,
                "port": values.ray.port,
                "dashboard_port": values.ray.dashboard_port,
                "metrics_port": values.ray.metrics_port,
                "num_cpus": RAY_CPUS,
                "autoscaled": IS_AUTOSCALED,
            },
            "engine": {
                "name": values.training.engine,
                "code": values.training.code,
                "config_folder": values.training.rlinf.config_folder,
                "config_name": values.training.rlinf.config_name,
                "hydra": values.training.hydra,
                "patches_off": values.training.patches.skip,
            },
            "preflight": {"enabled": values.preflight.enabled, "skip": values.preflight.skip},
            "resume": values.training.resume,
            "keep_checkpoints": values.training.keep_checkpoints,
            "watchdog": {
                "epochs_without_update": values.training.watchdog.epochs_without_update,
                "step_minutes": values.training.watchdog.step_minutes,
            },
            "deadlines": {
                "start_s": values.training.deadlines.start_seconds,
                "join_s": values.training.deadlines.join_seconds,
                "stop_s": values.training.deadlines.stop_seconds,
            },
            # A StatefulSet would start a container that ends again and again.
            "on_finish": conditional(values.mode.equals("statefulset"), "hold", "exit"),
        }
    ),
    about="The run, as the bootstrap reads it.",
)

HELPERS = [WORLD_SIZE, PODS, RAY_CPUS, RUN]
