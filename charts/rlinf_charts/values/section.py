"""What all sections of the values share."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

DNS_LABEL = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
OPTIONAL_DNS_LABEL = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$"
OPTIONAL_DNS_NAME = r"^([a-z0-9]([-.a-z0-9]*[a-z0-9])?)?$"
QUANTITY = r"^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$"
ABSOLUTE_PATH = r"^(/[A-Za-z0-9._-]+)+$"


class Section(BaseModel):
    """A section of the values: snake_case in Python, camelCase for users, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)
