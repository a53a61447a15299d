"""Names and labels of the chart's objects, as named templates."""

from __future__ import annotations

from rlinf_charts.values import RlinfValues
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Helper, Kind, MapOf, Reference, call, conditional, fmt

values = helm.ValuesRef(RlinfValues)

_RELEASE = Reference(root="Release", path=("Name",))
NAMESPACE = Reference(root="Release", path=("Namespace",))
_CHART_NAME = Reference(root="Chart", path=("Name",))
_CHART_VERSION = Reference(root="Chart", path=("Version",))
_VALUES = Reference(root="Values", path=(), kind=Kind.MAP)
_APP_VERSION = Reference(root="Chart", path=("AppVersion",))

# KubeRay takes a RayJob's name of 47 characters at most. What is made of the name elsewhere has 63: a StatefulSet's
# label NAME-HASH, the host names NAME-DIGEST-INDEX of a Job's pods, and a Service's name with its suffix.
_LONGEST = 45


def _or_else(preferred: Expression, fallback: Expression | str) -> Expression:
    return call("default", fallback, preferred)


NAME_LABEL = "app.kubernetes.io/name"
NAME = Helper(name="rlinf.name", body=_or_else(values.name_override, _CHART_NAME), about="The chart's name.")

_WHOLE_NAME = Helper(
    name="rlinf.wholeName",
    body=_or_else(
        values.fullname_override,
        conditional(call("contains", NAME, _RELEASE), _RELEASE, fmt(_RELEASE, "-", NAME)),
    ),
    about="The release's name, with the chart's unless it holds it already; of any length.",
)

FULLNAME = Helper(
    name="rlinf.fullname",
    body=conditional(
        call("len", _WHOLE_NAME) > _LONGEST,
        fmt(call("trunc", _LONGEST - 9, _WHOLE_NAME), "-", call("trunc", 8, call("sha256sum", _WHOLE_NAME))),
        _WHOLE_NAME,
    ),
    about="Name of all objects. A long one is cut, and a hash keeps it apart from others that start alike.",
)

# What changes nothing of the pods, so that a running Job stays.
_BESIDE_THE_PODS = (
    "job",
    "commonAnnotations",
    "dashboard",
    "extraObjects",
    "networkPolicy",
    "podDisruptionBudget",
    "podMonitor",
)

JOB = Helper(
    name="rlinf.job",
    body=fmt(
        FULLNAME,
        "-",
        call("trunc", 8, call("sha256sum", fmt(_CHART_VERSION, call("omit", _VALUES, *_BESIDE_THE_PODS)))),
    ),
    about="Name of the Job. Its pods' template cannot change: other values or another version make another Job.",
)

NODES_SERVICE = fmt(FULLNAME, "-nodes")
LAUNCH_CONFIG_MAP = fmt(FULLNAME, "-launch")
ENGINES_CONFIG_MAP = fmt(FULLNAME, "-launch-engines")
HEAD_SERVICE = fmt(FULLNAME, "-head")
DASHBOARD_SERVICE = fmt(FULLNAME, "-dashboard")
IS_KUBERAY = call("hasPrefix", "ray", values.mode)
# A RayJob runs on a cluster that another release has made.
ON_EXISTING_CLUSTER = values.mode.equals("rayjob") & values.ray_job.cluster_selector.differs("")
HAS_SEPARATE_HEAD = Helper(
    name="rlinf.hasSeparateHead",
    body=IS_KUBERAY & ~ON_EXISTING_CLUSTER & values.kuberay.head.separate,
    about="Whether there is a head beside the nodes, which takes no ranks.",
)
HAS_AUTOSCALER = values.mode.equals("raycluster") & values.kuberay.autoscaler.enabled
_USES_AUTOSCALER = ON_EXISTING_CLUSTER & values.kuberay.autoscaler.enabled
IS_AUTOSCALED = HAS_AUTOSCALER | _USES_AUTOSCALER
_RAY_CLUSTER = conditional(ON_EXISTING_CLUSTER, values.ray_job.cluster_selector, FULLNAME)
HEAD_HOST = Helper(
    name="rlinf.headHost",
    body=conditional(
        IS_KUBERAY,
        fmt(_RAY_CLUSTER, "-head.", NAMESPACE, ".svc"),
        fmt(conditional(values.mode.equals("job"), JOB, FULLNAME), "-0.", NODES_SERVICE, ".", NAMESPACE, ".svc"),
    ),
    about="Where the Ray head is found.",
)
RUNS_CLAIM_OWN = fmt(FULLNAME, "-runs")
RUNS_CLAIM = _or_else(values.storage.runs.existing_claim, RUNS_CLAIM_OWN)
FSX_CLAIM_OWN = fmt(FULLNAME, "-fsx")
FSX_CLAIM = _or_else(values.storage.fsx.existing_claim, FSX_CLAIM_OWN)
TOKEN_SECRET_OWN = fmt(FULLNAME, "-ray-token")
TOKEN_SECRET = Helper(
    name="rlinf.tokenSecret",
    body=_or_else(values.ray.auth.existing_secret, TOKEN_SECRET_OWN),
    about="Secret with Ray's token.",
)
# The key that KubeRay asks for.
OWN_TOKEN_KEY = "auth_token"  # noqa: S105 - the name of a key
TOKEN_KEY = conditional(values.ray.auth.existing_secret.differs(""), values.ray.auth.key, OWN_TOKEN_KEY)
SERVICE_ACCOUNT = Helper(
    name="rlinf.serviceAccountName",
    body=_or_else(values.service_account.name, conditional(values.service_account.create, FULLNAME, "default")),
    about="The pods' ServiceAccount.",
)


def bucket_claim(key: Expression) -> Expression:
    """Name of the claim of a bucket of storage.s3."""
    return fmt(FULLNAME, "-s3-", key)


def cluster_wide(suffix: Expression | str) -> Expression:
    """Name of an object that belongs to no namespace; no dot is in any part."""
    return fmt(NAMESPACE, ".", FULLNAME, ".", suffix)


IMAGE = Helper(
    name="rlinf.image",
    body=fmt(
        values.image.repository,
        conditional(
            values.image.digest.differs(""),
            fmt("@", values.image.digest),
            fmt(":", _or_else(values.image.tag, _APP_VERSION)),
        ),
    ),
    about="The image of the pods, by its digest or its tag.",
)

_CHART_LABEL = Helper(
    name="rlinf.chart",
    # A version may hold a plus sign, and with the name be longer than a label may.
    body=call("trimAll", "-_.", call("trunc", 63, call("replace", "+", "_", fmt(_CHART_NAME, "-", _CHART_VERSION)))),
    about="Name and version of the chart, as a label.",
)

LABELS = Helper(
    name="rlinf.labels",
    body=MapOf(
        {
            NAME_LABEL: NAME,
            "app.kubernetes.io/instance": _RELEASE,
            "app.kubernetes.io/version": _APP_VERSION,
            "app.kubernetes.io/managed-by": Reference(root="Release", path=("Service",)),
            "helm.sh/chart": _CHART_LABEL,
        },
        others=(values.common_labels,),
    ),
    about="Labels of every object.",
)

RELEASE_LABELS = Helper(
    name="rlinf.releaseLabels",
    body=MapOf({NAME_LABEL: NAME, "app.kubernetes.io/instance": _RELEASE}),
    about="Labels of all pods of this release, and of no others.",
)

SELECTOR_LABELS = Helper(
    name="rlinf.selectorLabels",
    body=MapOf({"app.kubernetes.io/component": helm.Literal("training")}, others=(RELEASE_LABELS,)),
    about="Labels that tell this release's training pods from all others; they never change.",
)

POD_LABELS = Helper(
    name="rlinf.podLabels",
    body=MapOf({}, others=(SELECTOR_LABELS, values.common_labels, values.pod_labels)),
    about="Labels of the training pods: nothing that changes with the chart's version alone, which would roll them.",
)

HELPERS = [
    NAME,
    _WHOLE_NAME,
    FULLNAME,
    JOB,
    HAS_SEPARATE_HEAD,
    HEAD_HOST,
    TOKEN_SECRET,
    SERVICE_ACCOUNT,
    IMAGE,
    _CHART_LABEL,
    LABELS,
    RELEASE_LABELS,
    SELECTOR_LABELS,
    POD_LABELS,
]
