"""What the patterns of the values mean, in words: `rlinf-eks` says them where Helm names a pattern only."""

from __future__ import annotations

from typing import Any

from rlinf_charts.values import image, section
from rlinf_constructs.helm import go

_NAME = "lower-case letters, digits and hyphens, with a letter or digit at both ends"
_HOST = f"{_NAME}; dots between such parts"
_QUANTITY = "a number and a unit of k, M, G, T, P or Ki, Mi, Gi, Ti, Pi, such as 200Gi; m is a thousandth"
_PATH = "a path from the root, such as /data/models, with no slash at its end and no . or .. in it"
_VALUE = "at most 63 letters, digits, hyphens, underscores and dots, with a letter or digit at both ends"
_MEANINGS = {
    section.DNS_LABEL: _NAME,
    section.OPTIONAL_DNS_LABEL: _NAME,
    rf"^{section.SUBDOMAIN}$": _HOST,
    rf"^({section.SUBDOMAIN})?$": _HOST,
    rf"^{section.HOST}$": _HOST,
    rf"^({section.HOST})?$": _HOST,
    section.QUANTITY: _QUANTITY,
    section.OPTIONAL_QUANTITY: _QUANTITY,
    section.REQUEST: _QUANTITY,
    section.LABEL_VALUE: _VALUE,
    section.ABSOLUTE_PATH: _PATH,
    section.OPTIONAL_ABSOLUTE_PATH: _PATH,
    section.RELATIVE_PATH: "a folder in the volume, such as team/models, with no slash at its start or end",
    section.VOLUME_KEY: f"at most 40 {_NAME}",
    section.LABEL_KEY: "letters, digits, hyphens, underscores and dots, after a domain and a slash where it has one",
    section.VARIABLE: "letters, digits, hyphens, underscores and dots, with no digit in front",
    image.REPOSITORY: "a registry and folders in lower case, without https:// and without a tag, see image.tag",
}


def explain(schema: Any) -> None:
    """Adds the meaning of each pattern beside it, as a comment; of keys, on their map."""
    if go.is_list(schema):
        for item in schema:
            explain(item)
    if not go.is_map(schema):
        return
    for pattern in (schema.get("pattern"), *schema.get("patternProperties", {})):
        if isinstance(pattern, str) and pattern in _MEANINGS:
            schema["$comment"] = _MEANINGS[pattern]
    for child in list(schema.values()):
        explain(child)
