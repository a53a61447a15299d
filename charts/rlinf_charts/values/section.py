"""What all sections of the values share."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema
from pydantic.alias_generators import to_camel

DNS_LABEL = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
OPTIONAL_DNS_LABEL = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$"
DNS_NAME = r"^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$"
OPTIONAL_DNS_NAME = r"^([a-z0-9]([-.a-z0-9]*[a-z0-9])?)?$"
QUANTITY = r"^[1-9][0-9]{0,14}(\.[0-9]{1,9})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$"
OPTIONAL_QUANTITY = r"^([1-9][0-9]{0,14}(\.[0-9]{1,9})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?)?$"
_REQUEST = r"^[0-9]{1,15}(\.[0-9]{1,9})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$"
LABEL_VALUE = r"^([A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?)?$"
ABSOLUTE_PATH = r"^(/[A-Za-z0-9._-]+)+$"
OPTIONAL_ABSOLUTE_PATH = r"^((/[A-Za-z0-9._-]+)+)?$"
RELATIVE_PATH = r"^([A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)?$"
# Short enough for the name of a volume in a pod, with what says its kind.
VOLUME_KEY = r"^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$"

LABEL_KEY = r"^([a-z0-9]([-.a-z0-9]*[a-z0-9])?/)?[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$"

Labels = dict[Annotated[str, StringConstraints(pattern=LABEL_KEY)], Annotated[str, Field(pattern=LABEL_VALUE)]]
Annotations = dict[Annotated[str, StringConstraints(pattern=LABEL_KEY)], str]
Variables = dict[Annotated[str, StringConstraints(pattern=r"^[-._a-zA-Z][-._a-zA-Z0-9]*$")], str]
DnsName = Annotated[str, Field(pattern=DNS_NAME)]

_NUMBER = {"pattern": _REQUEST, "exclusiveMinimum": 0, "maximum": 10**15}
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
