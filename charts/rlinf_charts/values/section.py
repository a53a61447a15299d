"""What all sections of the values share."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
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

LabelValue = Annotated[str, Field(pattern=LABEL_VALUE)]
# A plain number may stand unquoted.
Quantity = Annotated[
    str | float,
    WithJsonSchema({"type": ["string", "number"], "pattern": _REQUEST, "exclusiveMinimum": 0, "maximum": 10**15}),
]


class Section(BaseModel):
    """A section of the values: snake_case in Python, camelCase for users, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)
