"""What all sections of the values share."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema
from pydantic.alias_generators import to_camel

DNS_LABEL = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
OPTIONAL_DNS_LABEL = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$"
SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
# Of the domain name system itself, which has short labels.
HOST = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*"
QUANTITY = r"^[1-9][0-9]{0,14}(\.[0-9]{1,9})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$"
OPTIONAL_QUANTITY = r"^([1-9][0-9]{0,14}(\.[0-9]{1,9})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?)?$"
REQUEST = r"^[0-9]{1,15}(\.[0-9]{1,9})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$"
LABEL_VALUE = r"^([A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?)?$"
LABEL_KEY = rf"^({SUBDOMAIN}/)?[A-Za-z0-9]([-_.A-Za-z0-9]{{0,61}}[A-Za-z0-9])?$"
VARIABLE = r"^[-._a-zA-Z][-._a-zA-Z0-9]*$"
# Neither `.` nor `..`, which would lead elsewhere than the path says; two paths are one only if their texts are.
_FOLDER = r"\.?[A-Za-z0-9_@=+-][A-Za-z0-9._@=+-]*"
ABSOLUTE_PATH = rf"^(/{_FOLDER})+$"
OPTIONAL_ABSOLUTE_PATH = rf"^((/{_FOLDER})+)?$"
RELATIVE_PATH = rf"^({_FOLDER}(/{_FOLDER})*)?$"
# Short enough for the name of a volume in a pod, with what says its kind.
VOLUME_KEY = r"^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$"

Labels = dict[Annotated[str, StringConstraints(pattern=LABEL_KEY)], Annotated[str, Field(pattern=LABEL_VALUE)]]
Annotations = dict[Annotated[str, StringConstraints(pattern=LABEL_KEY)], str]
DnsName = Annotated[str, Field(pattern=rf"^{SUBDOMAIN}$", max_length=253)]
OptionalDnsName = Annotated[str, Field(pattern=rf"^({SUBDOMAIN})?$", max_length=253)]
HostName = Annotated[str, Field(pattern=rf"^{HOST}$", max_length=253)]
OptionalHostName = Annotated[str, Field(pattern=rf"^({HOST})?$", max_length=253)]

_NUMBER = {"pattern": REQUEST, "exclusiveMinimum": 0, "maximum": 10**15}
# A plain number may stand unquoted; the chart writes a fraction of CPU or memory as text, which KubeRay asks for.
Quantities = Annotated[
    dict[str, str | float],
    WithJsonSchema(
        {
            "type": "object",
            "patternProperties": {
                "^(cpu|memory)$": {"type": ["string", "number"], **_NUMBER},
                r"^(ephemeral-storage|hugepages-[a-zA-Z0-9]+|[a-z0-9][-.a-z0-9]*/[A-Za-z0-9][-_.A-Za-z0-9]*)$": {
                    "type": ["string", "integer"],
                    **_NUMBER,
                },
            },
        }
    ),
]


class Section(BaseModel):
    """A section of the values: snake_case in Python, camelCase for users, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)
