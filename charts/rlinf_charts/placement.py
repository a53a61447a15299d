"""Where the pods beside the nodes run: a RayJob's submitter and `helm test`, which mount what the nodes mount.

The submitter needs the claims as well, since Ray's command line may lie on one of them.
"""

from __future__ import annotations

from typing import Any

from rlinf_charts import names
from rlinf_charts.names import values
from rlinf_charts.run import PODS
from rlinf_charts.volumes import RUNS_IS_OF_ONE_NODE
from rlinf_constructs import helm
from rlinf_constructs.helm import Helper, MapOf, Only, call
from rlinf_constructs.platform.scheduling import beside

_storage = values.storage
_is_one_pod = PODS.equals(1)
# The chart cannot see the access modes of claims that it does not make; several nodes could not run with such a one.
_brings_a_claim = (
    (_storage.runs.existing_claim & ~_storage.checkpoints.volume)
    | _storage.claims
    | call("contains", '"persistentVolumeClaim":', call("toRawJson", values.extra_volumes))
)

STAYS_BESIDE_THE_NODE = Helper(
    name="rlinf.staysBesideTheNode",
    body=_is_one_pod & (RUNS_IS_OF_ONE_NODE | _brings_a_claim),
    about="Whether a claim may be ReadWriteOnce, so that all who mount it share one machine.",
)

NEIGHBOUR_LABELS = Helper(
    name="rlinf.neighbourLabels",
    body=MapOf(
        {},
        others=(
            # The cluster is another release's.
            Only(names.ON_EXISTING_CLUSTER, MapOf({"ray.io/cluster": values.ray_job.cluster_selector})),
            Only(~names.ON_EXISTING_CLUSTER, MapOf({}, others=(names.RELEASE_LABELS,))),
        ),
    ),
    about="Labels of the pods whose volumes a pod beside them mounts. It has the release's own labels itself, and so "
    "may go anywhere when the others have ended.",
)

HELPERS = [STAYS_BESIDE_THE_NODE, NEIGHBOUR_LABELS]


def affinity() -> dict[str, Any]:
    """Affinity of a pod beside the nodes."""
    return helm.when(STAYS_BESIDE_THE_NODE, {"podAffinity": beside(helm.splice(NEIGHBOUR_LABELS))})
