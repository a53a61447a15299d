"""What users add to pods and objects, and rules that keep it apart from the chart's own."""

from __future__ import annotations

from rlinf_charts.names import values
from rlinf_constructs.helm import Expression, Kind, Rule, call, conditional, fmt, for_each, for_each_entry
from rlinf_constructs.training.extras import Extras

EXTRAS = Extras(
    env_from=values.extra_env_from,
    volumes=values.extra_volumes,
    volume_mounts=values.extra_volume_mounts,
    init_containers=values.extra_init_containers,
    sidecars=values.sidecars,
)


def _one_source(index: Expression, source: Expression) -> Rule:
    has_secret, has_config_map = call("hasKey", source, "secretRef"), call("hasKey", source, "configMapRef")
    return Rule(
        broken=(has_secret & has_config_map) | (~has_secret & ~has_config_map),
        message=fmt(
            "extraEnvFrom.",
            index,
            " has ",
            conditional(has_secret, "both", "neither"),
            " of secretRef and configMapRef, and must have one: write it as in {secretRef: {name: s3-keys}}",
        ),
    )


def _label_of_a_node(key: Expression, value: Expression) -> Rule:
    del value
    return Rule(
        broken=call("hasKey", values.common_labels, key),
        message=fmt("podLabels has ", key, ", which commonLabels sets for all objects and pods: keep one of them"),
    )


def _annotation_of_helm(key: Expression, value: Expression) -> Rule:
    del value
    return Rule(
        broken=call("hasPrefix", "helm.sh/", key),
        message=fmt(
            "commonAnnotations has ",
            key,
            ": by its annotations Helm tells hooks from other objects and what an uninstall keeps, so it cannot be the "
            "same for all; remove it (storage.runs.keep keeps the run folder's claim)",
        ),
    )


def _annotation_of_the_account(key: Expression, value: Expression) -> Rule:
    del value
    return Rule(
        broken=call("hasKey", values.common_annotations, key),
        message=fmt(
            "serviceAccount.annotations has ", key, ", which commonAnnotations sets for all objects: keep one of them"
        ),
    )


ANNOTATIONS_NEED_AN_ACCOUNT = Rule(
    broken=values.service_account.annotations & ~values.service_account.create,
    message=fmt(
        "serviceAccount.annotations is set while serviceAccount.create is false: the chart does not touch an account "
        "that exists, so the pods would miss the role; annotate that account itself and remove the annotations here, "
        "or set serviceAccount.create=true"
    ),
)

A_NAMESPACE_HAS_ITS_DEFAULT = Rule(
    broken=values.service_account.create & values.service_account.name.equals("default"),
    message=fmt(
        "serviceAccount.name is default while serviceAccount.create is true: every namespace has that account already, "
        "and Helm takes over none that it has not made; set serviceAccount.create=false, or another name"
    ),
)

_role = call("dig", "eks.amazonaws.com/role-arn", "", values.service_account.annotations, kind=Kind.STRING)

A_ROLE_HAS_AN_ARN = Rule(
    broken=_role & ~call("regexMatch", "^arn:aws[-a-z]*:iam::[0-9]{12}:role/[!-~]+$", _role),
    message=fmt(
        "serviceAccount.annotations has eks.amazonaws.com/role-arn ",
        _role,
        ", which is no ARN of an IAM role: write it as in arn:aws:iam::111122223333:role/NAME",
    ),
)

RULES = [
    ANNOTATIONS_NEED_AN_ACCOUNT,
    A_NAMESPACE_HAS_ITS_DEFAULT,
    A_ROLE_HAS_AN_ARN,
    for_each(values.extra_env_from, _one_source, name="source"),
    for_each_entry(values.pod_labels, _label_of_a_node, key="key", value="value"),
    for_each_entry(values.common_annotations, _annotation_of_helm, key="key", value="value"),
    for_each_entry(values.service_account.annotations, _annotation_of_the_account, key="key", value="value"),
]
