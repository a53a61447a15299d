"""Rules that cross fields, in the words in which both Helm and rlinf-eks refuse them."""

from __future__ import annotations

from rlinf_constructs.helm import Rule, fmt

from rlinf_charts.names import values

_runs = values.storage.runs

RUN_FOLDER_NEEDS_A_CLAIM = Rule(
    broken=_runs.existing_claim.equals("") & ~_runs.create,
    message=fmt(
        "storage.runs.existingClaim is empty and storage.runs.create is false, so the run folder has no claim: "
        "name an existing PersistentVolumeClaim, or set storage.runs.create=true"
    ),
)

NODES_SHARE_THE_RUN_FOLDER = Rule(
    broken=(values.nodes.count > 1) & _runs.access_mode.equals("ReadWriteOnce") & _runs.existing_claim.equals(""),
    message=fmt(
        "storage.runs.accessMode is ReadWriteOnce while nodes.count is ",
        values.nodes.count,
        ": several nodes write to one run folder, which needs ReadWriteMany (FSx for Lustre, EFS), or nodes.count=1",
    ),
)

RAY_NEEDS_A_CPU_FOR_EACH_GPU = Rule(
    broken=(values.ray.cpus > 0) & (values.ray.cpus < values.nodes.gpus),
    message=fmt(
        "ray.cpus is ",
        values.ray.cpus,
        " while nodes.gpus is ",
        values.nodes.gpus,
        ": each GPU's worker takes a CPU, and Ray would wait for ever; the least is ",
        values.nodes.gpus,
        ", or 0 for two a GPU",
    ),
)

RULES = [RUN_FOLDER_NEEDS_A_CLAIM, NODES_SHARE_THE_RUN_FOLDER, RAY_NEEDS_A_CPU_FOR_EACH_GPU]
