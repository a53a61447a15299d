"""What repeats in a schema is written once, and means the same."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft7Validator

from rlinf_constructs.helm.schema_definitions import with_definitions

SELECTOR: dict[str, Any] = {
    "type": "object",
    "properties": {
        "matchLabels": {
            "type": "object",
            "description": "Labels that an object must have, all of them, with exactly these values.",
            "additionalProperties": {"type": "string", "maxLength": 63, "pattern": "^[A-Za-z0-9]*$"},
        }
    },
    "additionalProperties": False,
}
PEERS = {"type": "array", "items": {"type": "object", "properties": {"podSelector": SELECTOR, "selector": SELECTOR}}}
SCHEMA = {"type": "object", "properties": {"from": PEERS, "to": PEERS, "name": {"type": "string"}}}


def test_a_repeated_schema_becomes_a_definition_and_so_does_one_inside_it() -> None:
    """Under the name of the first key that has it; what is short stays where it is."""
    shortened = with_definitions(SCHEMA)

    assert shortened["properties"] == {
        "from": {"$ref": "#/definitions/from"},
        "to": {"$ref": "#/definitions/from"},
        "name": {"type": "string"},
    }
    assert list(shortened["definitions"]) == ["from", "podSelector"]
    assert shortened["definitions"]["from"]["items"]["properties"] == {
        "podSelector": {"$ref": "#/definitions/podSelector"},
        "selector": {"$ref": "#/definitions/podSelector"},
    }
    assert shortened["definitions"]["podSelector"] == SELECTOR


def test_it_allows_the_same() -> None:
    """What was refused is refused, in the same words."""
    values = {"from": [{"selector": {"matchLabels": {"a": "-"}}}], "to": [{"podSelector": {"labels": {}}}], "name": 1}

    def faults(schema: dict[str, Any]) -> set[tuple[str, str]]:
        return {(error.json_path, error.message) for error in Draft7Validator(schema).iter_errors(values)}

    assert len(faults(SCHEMA)) == 3
    assert faults(with_definitions(SCHEMA)) == faults(SCHEMA)


def test_a_schema_without_repetitions_stays_as_it_is() -> None:
    """No empty definitions."""
    assert with_definitions(SELECTOR) == SELECTOR
