"""A small chart that uses every feature of the kit, and nothing of training."""

from __future__ import annotations

from typing import Literal

import cdk8s
from cdk8s_plus_35 import k8s
from pydantic import BaseModel, ConfigDict, Field

from rlinf_constructs import helm


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Claim(Section):
    name: str = Field(alias="name", description="Name of the volume.", pattern="^[a-z][a-z0-9]*$")
    read_only: bool = Field(default=False, alias="readOnly", description="Mount it read-only.")


class Volume(BaseModel):
    """Whatever Kubernetes allows, with a name."""

    model_config = ConfigDict(extra="allow")

    name: str = Field(alias="name", description="Its name.", pattern="^[a-z][a-z0-9]*$")


class Service(Section):
    enabled: bool = Field(default=True, alias="enabled", description="Make the Service.")
    port: int = Field(default=8080, alias="port", description="Its port.", ge=1, le=65535)


class SampleValues(Section):
    mode: Literal["small", "large"] = Field(default="small", alias="mode", description="Size.")
    text: str = Field(default="hello", alias="text", description="Any text.")
    count: int = Field(default=2, alias="count", description="How many.", ge=0)
    ratio: float = Field(default=0.5, alias="ratio", description="A fraction.", ge=0)
    service: Service = Field(default_factory=Service, alias="service", description="The Service.")
    claims: list[Claim] = Field(default_factory=list[Claim], alias="claims", description="Volumes.")
    volumes: list[Volume] = Field(default_factory=list[Volume], alias="volumes", description="Free-form volumes.")
    containers: list[Volume] = Field(default_factory=list[Volume], alias="containers", description="More containers.")
    objects: list[Volume] = Field(default_factory=list[Volume], alias="objects", description="Parts of objects.")
    names: list[str] = Field(default_factory=list[str], alias="names", description="A list of texts.")
    environment: dict[str, str] = Field(default_factory=dict[str, str], alias="environment", description="Variables.")
    tree: dict[str, object] = Field(default_factory=dict[str, object], alias="tree", description="Anything, nested.")


values = helm.ValuesRef(SampleValues)
release_name = helm.Reference(root="Release", path=("Name",))
fullname = helm.Helper(name="sample.fullname", body=helm.call("trunc", 20, release_name), about="Name of all objects.")
twice = helm.Function(
    name="sample.twice", body=helm.call("mulf", helm.call("float64", helm.Argument()), 2), about="Twice a number."
)
is_large = helm.Helper(
    name="sample.isLarge", body=values.mode.equals("large") & values.text, about="Whether it is large and has a text."
)
wheels = helm.Helper(
    name="sample.wheels",
    body=helm.call("dig", values.mode, "wheels", 3, helm.FileData("data/modes.json"), kind=helm.Kind.INTEGER),
    about="Wheels of the mode.",
)
extras = helm.Helper(
    name="sample.extras",
    body=helm.MapOf({"MODE": values.mode}, others=(helm.Only(values.count > 1, helm.MapOf({"MANY": fullname})),)),
    about="Derived variables.",
)
document = helm.Helper(
    name="sample.document",
    body=helm.JsonText({"text": values.text, "count": values.count, "tree": values.tree, "list": [1, "{{", {}]}),
    about="A JSON document.",
)


def make_chart() -> helm.HelmChart:
    app = cdk8s.App(record_construct_metadata=False)
    chart = cdk8s.Chart(app, "sample")
    k8s.KubeConfigMap(
        chart,
        "Config",
        metadata=k8s.ObjectMeta(
            name=f"{fullname}-config", annotations={"sum": helm.string(helm.call("sha256sum", document))}
        ),
        data={
            "text": helm.string(values.text),
            "joined": f"<{values.text}|{values.count}|{values.ratio}>",
            "literal": "{{ not a template }} no",
            "lines": "first {{\nsecond\n",
            "document.json": helm.string(helm.Block(document)),
            "wheels": f"{wheels}",
            "is-large": helm.when(is_large, "yes"),
            "twice": f"{twice(helm.fmt(values.count))}",
            "only-large": helm.when(values.mode.equals("large"), "yes"),
            **helm.splice(helm.Files("files")),
            **helm.splice(values.environment),
        },
    )
    pod = k8s.PodSpec(
        node_selector=helm.splice(values.environment),
        service_account_name=helm.when(values.count > 1, helm.string(fullname)),
        containers=[
            k8s.Container(
                name="main",
                command=["main", helm.string(values.names)],
                args=helm.string_list(values.names),
                env=[
                    helm.each_entry(
                        values.environment,
                        lambda name, value: k8s.EnvVar(name=helm.string(name), value=helm.string(value)),
                    ),
                    helm.each_entry(
                        extras,
                        lambda name, value: helm.when(
                            ~helm.call("hasKey", values.environment, name),
                            k8s.EnvVar(name=helm.string(name), value=helm.string(value)),
                        ),
                    ),
                    k8s.EnvVar(name="PLAIN", value="no"),
                ],
                volume_mounts=[
                    helm.each(
                        values.claims,
                        lambda claim: helm.extend(
                            k8s.VolumeMount(name=helm.string(claim.name), mount_path=f"/mnt/{claim.name}"),
                            readOnly=claim.read_only,
                        ),
                        name="claim",
                    )
                ],
            ),
            helm.each(
                values.containers,
                lambda container: helm.extend(
                    k8s.Container(name=helm.string(container.name), restart_policy="Always"),
                    **helm.splice(helm.call("omit", container, "name", "restartPolicy")),
                ),
                name="container",
            ),
        ],
        volumes=[
            helm.each(
                values.claims,
                lambda claim: k8s.Volume(name=helm.string(claim.name), empty_dir=k8s.EmptyDirVolumeSource()),
                name="claim",
            ),
            helm.when(
                values.mode.equals("large") & values.service.enabled,
                k8s.Volume(name="extra", empty_dir=k8s.EmptyDirVolumeSource()),
            ),
            helm.all_of(values.volumes, k8s.Volume(name="")),
        ],
    )
    k8s.KubePod(chart, "MainPod", metadata=k8s.ObjectMeta(name=helm.string(fullname)), spec=pod)
    helm.when(
        values.service.enabled,
        k8s.KubeService(
            chart,
            "Service",
            metadata=k8s.ObjectMeta(name=helm.string(fullname)),
            spec=k8s.ServiceSpec(
                ports=[k8s.ServicePort(port=helm.number(values.service.port))],
                session_affinity_config=helm.when(
                    values.count > 3,
                    k8s.SessionAffinityConfig(
                        client_ip=k8s.ClientIpConfig(timeout_seconds=helm.number(values.count * 7 // 2 % 5))
                    ),
                ),
            ),
        ),
    )
    helm.each(
        values.claims,
        lambda claim: k8s.KubeConfigMap(
            chart,
            "ClaimNotes",
            metadata=k8s.ObjectMeta(name=f"{fullname}-{claim.name}"),
            data={"text": helm.string(values.text), "read-only": f"{claim.read_only}"},
        ),
        name="claim",
    )
    whole = cdk8s.ApiObject(chart, "Objects", api_version="v1", kind="Any")
    whole.add_json_patch(
        cdk8s.JsonPatch.replace(
            "",
            helm.each(
                values.objects,
                lambda item: {
                    "kind": "Any",
                    "metadata": {"name": helm.string(item.name)},
                    **helm.splice(helm.call("omit", item, "kind", "metadata")),
                },
                name="object",
            ),
        )
    )
    return helm.HelmChart(
        metadata={"apiVersion": "v2", "name": "sample", "version": "1.0.0", "appVersion": "1"},
        values=SampleValues,
        header="Values of the sample.",
        objects=chart,
        rules=[
            helm.Rule(
                broken=values.mode.equals("large") & (values.count < 2),
                message=helm.fmt(
                    "count is ", values.count, ", which is too few for mode ", values.mode, ": the least is 2"
                ),
            ),
            helm.for_each(
                values.volumes,
                lambda index, volume: helm.Rule(
                    broken=volume.name.equals("extra"),
                    message=helm.fmt("volumes.", index, ".name is extra, which the chart takes: take another name"),
                ),
                name="volume",
            ),
            helm.for_each(
                values.containers,
                lambda index, container: helm.for_each_entry(
                    values.environment,
                    lambda name, value: helm.Rule(
                        broken=container.name.equals(name),
                        message=helm.fmt("containers.", index, ".name is a variable, of the value ", value),
                    ),
                    key="name",
                    value="value",
                ),
                name="container",
            ),
        ],
        helpers=[fullname, twice, is_large, wheels, extras, document],
        files={
            "files/b.py": 'print("{{ hello }}")\n',
            "files/a.sh": "echo\n",
            "data/modes.json": '{"large": {"wheels": 8}}\n',
        },
        notes="{{ .Release.Name }} is installed.\n",
    )
