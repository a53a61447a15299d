"""The Helm rendering: a tree of nodes as the text of a template that people like to read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeGuard

from rlinf_constructs.helm import yaml_io
from rlinf_constructs.helm.document import Entry, Guard, Mapping, Node, Scalar, Splice
from rlinf_constructs.helm.document import Sequence as ListNode
from rlinf_constructs.helm.expressions import Expression, Literal, Scope, as_boolean
from rlinf_constructs.helm.files import Files
from rlinf_constructs.helm.kinds import Kind
from rlinf_constructs.helm.named_templates import Function, Helper
from rlinf_constructs.helm.placeholders import Each, When
from rlinf_constructs.helm.texts import Block, escape_delimiters

_INDENT = "  "


def render(documents: Sequence[Mapping], comment: str) -> str:
    """One template file: a comment that says where it comes from, then its objects."""
    lines = [f"{{{{- /* {comment} */ -}}}}"]
    is_single = len(documents) == 1 and not any(isinstance(guard, Each) for guard in documents[0].guards)
    separator = [] if is_single else ["---"]
    for document in documents:
        lines += _guarded(document.guards, "", Scope(), lambda scope, d=document: [*separator, *_mapping(d, "", scope)])
    return "\n".join(lines) + "\n"


def render_helper(helper: Helper | Function) -> str:
    """The definition of a named template, with its comment."""
    body = as_boolean(helper.body) if helper.body.kind is Kind.BOOLEAN else helper.body
    lines = body.template(Scope()) if body.is_body else f"{{{{ {body.template(Scope())} }}}}"
    return f'{{{{/* {helper.about} */}}}}\n{{{{- define "{helper.name}" -}}}}\n{lines}\n{{{{- end }}}}\n'


def content(node: Mapping | ListNode, scope: Scope) -> str:
    """What stands in a mapping or list, without indentation and without the node's own guards."""
    return "\n".join(_mapping(node, "", scope) if isinstance(node, Mapping) else _sequence(node, "", scope))


def _guarded(guards: tuple[Guard, ...], pad: str, scope: Scope, body: Callable[[Scope], list[str]]) -> list[str]:
    """The body's lines inside the blocks of its guards, outermost first."""
    if not guards:
        return body(scope)
    outer, *inner = guards
    if isinstance(outer, When):
        opening = f"if {outer.condition.template(scope)}"
        return block(opening, _guarded(tuple(inner), pad, scope, body), pad)
    return block(range_over(outer, scope), _guarded(tuple(inner), pad, scope.inside_range(), body), pad)


def range_over(loop: Each, scope: Scope) -> str:
    """The opening of a loop's block."""
    variables = [f"${variable.name}" for variable in (loop.key, loop.value) if variable is not None]
    collection = loop.collection
    # The text of a named template must be read again before anything can walk over it.
    text = collection.operand(scope)[1:-1] if isinstance(collection, Helper) else collection.template(scope)
    return f"range {', '.join(variables)} := {text}"


def block(opening: str, lines: Iterable[str], pad: str = "") -> list[str]:
    """The lines inside an action that ends with `end`."""
    return [f"{pad}{{{{- {opening} }}}}", *lines, f"{pad}{{{{- end }}}}"]


def _mapping(node: Mapping, pad: str, scope: Scope) -> list[str]:
    return _joined(
        _splice(entry, pad, scope) if isinstance(entry, Splice) else _entry(entry, pad, scope) for entry in node.entries
    )


def _joined(parts: Iterable[list[str]]) -> list[str]:
    """The lines of all parts; neighbours under the same condition share one block."""
    lines: list[str] = []
    opening = ""
    for part in parts:
        if part and part[0] == opening:
            lines[-1:] = part[1:]
        else:
            lines += part
            opening = part[0] if part and part[0].lstrip().startswith("{{- if ") else ""
    return lines


def _entry(entry: Entry, pad: str, scope: Scope) -> list[str]:
    node = entry.node
    if _is_collection(node) and not node.guards and not isinstance(node.value, (Files, Helper)):
        assert node.value is not None
        return block(
            f"with {node.value.template(scope)}", [f"{pad}{_key(entry.key)}:", _to_yaml(".", pad + _INDENT)], pad
        )
    if _is_collection(node) and isinstance(node.value, Helper) and node.presence is node.value:
        # What may be empty begins with a condition, and so with a line break.
        lines = [f"{pad}{_key(entry.key)}:", _indented("trim .", pad + _INDENT)]
        return block(f"with {node.value.template(scope)}", lines, pad)
    condition = node.presence
    lines = _field(entry.key, node, pad, scope)
    return lines if condition is None else block(f"if {condition.template(scope)}", lines, pad)


def _field(key: str, node: Node, pad: str, scope: Scope) -> list[str]:
    head = f"{pad}{_key(key)}:"
    if isinstance(node, Mapping):
        return [head, *_mapping(node, pad + _INDENT, scope)] if node.entries else [f"{head} {{}}"]
    if isinstance(node, ListNode):
        return [head, *_sequence(node, pad + _INDENT, scope)] if node.items else [f"{head} []"]
    if _is_collection(node):
        assert node.value is not None
        if isinstance(node.value, (Files, Helper)):
            return [head, *_splice(Splice(value=node.value), pad + _INDENT, scope)]
        return [head, _to_yaml(node.value.template(scope), pad + _INDENT)]
    return _scalar_field(head, node, pad, scope)


def _scalar_field(head: str, node: Scalar, pad: str, scope: Scope) -> list[str]:
    value = node.value
    if isinstance(value, Block):
        indent = len(pad) + len(_INDENT)
        return [f"{head} |", f"{pad}{_INDENT}{{{{- {value.template(scope)} | nindent {indent} }}}}"]
    if isinstance(value, Literal) and isinstance(value.value, str) and yaml_io.fits_block(value.value):
        return [
            f"{head} |",
            *(f"{pad}{_INDENT}{line}".rstrip() for line in escape_delimiters(value.value).splitlines()),
        ]
    return [f"{head} {_scalar(value, scope)}"]


def _sequence(node: ListNode, pad: str, scope: Scope) -> list[str]:
    return _joined(_guarded(item.guards, pad, scope, lambda inner, i=item: _item(i, pad, inner)) for item in node.items)


def _item(node: Node, pad: str, scope: Scope) -> list[str]:
    if _is_collection(node) and node.value is not None:
        # All elements of the list expression, in the place of one.
        return _elements(node.value, pad, scope)
    if isinstance(node, Scalar):
        return [f"{pad}- {_scalar(node.value, scope)}"]
    if isinstance(node, ListNode):
        lines = _sequence(node, pad + _INDENT, scope)
    else:
        lines = _mapping(_with_plain_entry_first(node), pad + _INDENT, scope)
    if not lines:
        return [f"{pad}- {'[]' if isinstance(node, ListNode) else '{}'}"]
    first = lines[0].removeprefix(pad + _INDENT)
    return [f"{pad}-", *lines] if first.startswith("{{") else [f"{pad}- {first}", *lines[1:]]


def _elements(value: Expression, pad: str, scope: Scope) -> list[str]:
    if not isinstance(value, Helper):
        return block(f"with {value.template(scope)}", [_to_yaml(".", pad)], pad)
    if value.is_never_empty():
        return [_indented(value.template(scope), pad)]
    return block(f"with {value.template(scope)}", [_indented("trim .", pad)], pad)


def _with_plain_entry_first(node: Mapping) -> Mapping:
    """A list item's dash stands before its first line, which must be there in every case."""
    always = [entry for entry in node.entries if isinstance(entry, Entry) and entry.node.presence is None]
    if not always:
        return node
    first = always[0]
    return Mapping(entries=(first, *(entry for entry in node.entries if entry is not first)))


def _splice(entry: Splice, pad: str, scope: Scope) -> list[str]:
    if isinstance(entry.value, Files):
        lines = _blocks(entry.value, pad, scope)
    elif isinstance(entry.value, Helper):
        lines = [_indented(entry.value.template(scope), pad)]
    else:
        lines = block(f"with {entry.value.template(scope)}", [_to_yaml(".", pad)], pad)
    return _guarded(entry.guards, pad, scope, lambda _: lines)


def _blocks(files: Files, pad: str, scope: Scope) -> list[str]:
    """Each file as a block of text, as `AsConfig` would give it in more time."""
    text = f"{pad}{_INDENT}{{{{- toString $text | nindent {len(pad + _INDENT)} }}}}"
    return block(f"range $path, $text := {files.template(scope)}", [f"{pad}{{{{ base $path }}}}: |", text], pad)


def _to_yaml(text: str, pad: str) -> str:
    return _indented(f"toYaml {text}", pad)


def _indented(text: str, pad: str) -> str:
    """An action that prints lines."""
    return f"{pad}{{{{- {text} | nindent {len(pad)} }}}}" if pad else f"{{{{ {text} }}}}"


def _is_collection(node: Node) -> TypeGuard[Scalar]:
    return isinstance(node, Scalar) and node.value is not None and node.value.kind in (Kind.LIST, Kind.MAP)


def _key(key: str) -> str:
    return yaml_io.scalar_text(key)


def _scalar(value: Expression | None, scope: Scope) -> str:
    if value is None:
        return "null"
    if isinstance(value, Literal):
        return escape_delimiters(yaml_io.scalar_text(_whole(value.value)))
    return f"{{{{ {value.output(scope)} }}}}"


def _whole(value: str | float | bool) -> str | float | bool:
    """cdk8s hands whole numbers on as floats."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
