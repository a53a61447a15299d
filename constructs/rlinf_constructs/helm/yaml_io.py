"""YAML as Helm and kubectl read it: scalars resolve as in Go's parser, which differs from PyYAML's rules."""

from __future__ import annotations

import functools
import math
import re
from pathlib import Path
from typing import Any

import yaml

from rlinf_constructs.helm import go

_PLAIN = "!plain"
_MERGE = "tag:yaml.org,2002:merge"
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_PREFIXED = re.compile(r"([-+]?)(0b|0o|0x)([0-9a-fA-F]+)")
_OCTAL = re.compile(r"([-+]?)0([0-7]+)")
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_BASES = {"0b": 2, "0o": 8, "0x": 16}


class YamlError(ValueError):
    """A file is not YAML, or holds what JSON cannot express."""


def resolve(text: str) -> Any:
    """The value of a plain (unquoted) scalar.

    >>> [resolve(text) for text in ("no", "1e3", "0x10", "017", "1_000", "1:30", "hello")]
    [False, 1000.0, 16, 15, 1000, '1:30', 'hello']
    """
    if text in _WORDS:
        return _WORDS[text]
    return _number(text) if text[0] in "+-.0123456789" else text


def _number(text: str) -> Any:
    plain = text.replace("_", "")
    if match := _PREFIXED.fullmatch(plain):
        return _prefixed(match, text)
    if match := _OCTAL.fullmatch(plain):
        return int(match.group(1) + match.group(2), 8)
    if _DECIMAL.fullmatch(plain):
        return int(plain)
    if _FLOAT.fullmatch(plain):
        return float(plain) if math.isfinite(float(plain)) else text
    if plain.lstrip("+-").lower() in (".inf", ".nan"):
        raise YamlError(f"{text} is not a number that JSON can express: quote it if it is a text")
    return text


def _prefixed(match: re.Match[str], text: str) -> int | str:
    sign, prefix, digits = match.groups()
    try:
        return int(sign + digits, _BASES[prefix])
    except ValueError:
        return text


class _Loader(yaml.SafeLoader):
    """SafeLoader with Go's resolution of scalars.

    Stricter than Helm where it would silently drop something: duplicate keys (Helm takes the last one), and tags.
    """

    # Go's parser does not know the escaped slash of JSON.
    ESCAPE_REPLACEMENTS = {key: it for key, it in yaml.SafeLoader.ESCAPE_REPLACEMENTS.items() if key != "/"}  # noqa: RUF012

    def scan_to_next_token(self) -> None:
        """Go's parser takes tabs for spaces where they do not indent a key, as in JSON that is indented by them."""
        super().scan_to_next_token()
        while self.peek() == "\t" and (self.flow_level or not self.allow_simple_key):
            self.forward()
            super().scan_to_next_token()

    def process_directives(self) -> Any:
        """Helm 4 cuts them off from their document, and refuses what is left."""
        if self.check_token(yaml.DirectiveToken):
            line = self.peek_token().start_mark.line + 1
            raise YamlError(f"line {line}: Helm 4 reads no lines that begin with %: remove it")
        return super().process_directives()

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        """The tag of a node: plain scalars without one of their own get ours."""
        is_plain_scalar = kind is yaml.ScalarNode and implicit[0]
        return _PLAIN if is_plain_scalar and value != "<<" else super().resolve(kind, value, implicit)


def _construct_plain(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Any:
    return resolve(str(loader.construct_scalar(node)))


def _construct_text(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> str:
    text = str(loader.construct_scalar(node))
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise YamlError(f"{_line(node)}: an escape of half a character: write the character itself")
    return text


def _construct_mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[str, Any]:
    """As in Helm the last one wins, be it a key of the map's own or one that `<<` merges."""
    _refuse_duplicates(loader, node)
    result: dict[str, Any] = {}
    for key, value in node.value:
        content = loader.construct_object(value, deep=True)
        if key.tag != _MERGE:
            result[_key_text(loader.construct_object(key, deep=True), key)] = content
            continue
        # Of several maps the first wins.
        for merged in reversed(content) if go.is_list(content) else [content]:
            if not go.is_map(merged):
                raise YamlError(f"{_line(value)}: << merges a map or a list of maps")
            result.update(merged)
    return result


def _refuse_duplicates(loader: yaml.SafeLoader, node: yaml.MappingNode) -> None:
    seen: set[str] = set()
    for key_node, _ in node.value:
        if key_node.tag == _MERGE:
            continue
        key = _key_text(loader.construct_object(key_node, deep=True), key_node)
        if key in seen:
            raise YamlError(f"{_line(key_node)}: key {key!r} is already set in this map: remove one of the two")
        seen.add(key)


def _key_text(key: Any, node: yaml.Node) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, str):
        return key
    if isinstance(key, (int, float)) and key == int(key):
        return str(int(key))
    if go.is_map(key):
        raise YamlError(f"{_line(node)}: a map cannot be a key; quote braces, which no template fills in here")
    raise YamlError(f"{_line(node)}: {go.json_text(key)} cannot be a key: quote it if it is a text")


def _refuse_tag(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    del loader
    tag = node.tag.replace("tag:yaml.org,2002:", "!!")
    raise YamlError(f"{_line(node)}: values are texts, numbers, lists and maps; there is no {tag}")


def _line(node: yaml.Node) -> str:
    return f"line {node.start_mark.line + 1}"


for _tag in ("binary", "omap", "pairs", "set", "timestamp"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _refuse_tag)
_Loader.add_constructor(None, _refuse_tag)  # pyright: ignore[reportArgumentType] - PyYAML asks it for all others
_Loader.add_constructor("tag:yaml.org,2002:str", _construct_text)
_Loader.add_constructor(_PLAIN, _construct_plain)
_Loader.add_constructor("tag:yaml.org,2002:map", _construct_mapping)


def load(text: str) -> Any:
    """The single document in the text.

    Raises:
        YamlError: with the place and the reason.
    """
    documents = [document for document in load_all(text) if document is not None]
    if len(documents) > 1:
        raise YamlError(
            f"holds {len(documents)} documents, where one is expected, since versions of Helm differ in which they read"
        )
    return documents[0] if documents else None


def load_all(text: str) -> list[Any]:
    """All documents in the text.

    Raises:
        YamlError: with the place and the reason.
    """
    try:
        return list(yaml.load_all(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        hint = "; indent by spaces" if "'\\t'" in str(error.problem) else ""
        raise YamlError(f"{place}not valid YAML: {error.problem}{hint}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlError(
            f"line {line}: not valid YAML: the character U+{ord(text[error.position]):04X} has no place in it"
        ) from error
    except RecursionError as error:
        raise YamlError("nested too deeply") from error


def load_file(path: Path) -> Any:
    """The single document in a file.

    Raises:
        YamlError: with the file, the place and the reason.
    """
    try:
        return load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise YamlError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise YamlError(f"{path}: not UTF-8 text (byte {error.start})") from error
    except YamlError as error:
        raise YamlError(f"{path}: {error}") from error


# The same keys stand in every object.
@functools.lru_cache(maxsize=4096)
def is_plain(text: str) -> bool:
    """Whether a string may stand unquoted in YAML and still be read as this string, by any parser."""
    if not re.fullmatch(r"[A-Za-z0-9_/()$][A-Za-z0-9_./()$ @,+=-]*", text) or text != text.strip():
        return False
    looks_numeric = re.match(r"[0-9.]+([eE:_xob]|$)", text) is not None
    return not looks_numeric and resolve(text) == text and text != "="


class _Dumper(yaml.SafeDumper):
    """Block style, long lines whole, lists indented below their key, strings quoted only where they must be."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        del indentless
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


def _represent_string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    if is_plain(text):
        return dumper.represent_scalar("tag:yaml.org,2002:str", text)
    style = "|" if fits_block(text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def fits_block(text: str) -> bool:
    """Whether a text of several lines, each ended by a newline, reads the same as a `|` block."""
    lines = text.split("\n")
    ends_well = len(lines) > 1 and lines[-1] == "" and lines[-2] != ""
    return (
        ends_well
        and not lines[0].startswith((" ", "\t"))
        and all(line == line.rstrip() and line.replace("\t", "").isprintable() for line in lines)
    )


def _represent_plain(dumper: yaml.SafeDumper, value: float | bool | None) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", go.json_text(value))


_Dumper.add_representer(str, _represent_string)
for _type in (bool, int, float, type(None)):
    _Dumper.add_representer(_type, _represent_plain)
# Without PyYAML's own rules, whatever is written in plain style stays plain.
_Dumper.yaml_implicit_resolvers = {}


def dump(document: Any) -> str:
    """The document as YAML text that Go's parser and PyYAML read alike."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=2**31 - 1)


def dump_all(documents: list[Any]) -> str:
    """The documents, each after a `---` line, as kubectl applies them."""
    return "".join(f"---\n{dump(document)}" for document in documents)


def scalar_text(value: str | float | bool) -> str:
    """A scalar as it stands in YAML on one line."""
    if isinstance(value, str):
        return value if is_plain(value) else go.quote(value)
    return go.json_text(value)
