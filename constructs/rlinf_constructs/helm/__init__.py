"""A Helm chart kit: one tree of cdk8s constructs, rendered as a Helm chart or as plain manifests.

cdk8s writes static manifests. Here the values of a field may be expressions over the chart's values; they travel
through cdk8s as placeholders and come out as Go templates (`HelmChart.write`) or as concrete values
(`HelmChart.render`). The law of the kit: for all values, `helm template` of the written chart and the plain rendering
give the same objects.
"""

from rlinf_constructs.helm.chart import HelmChart, Release, is_hook
from rlinf_constructs.helm.errors import ValuesError
from rlinf_constructs.helm.expressions import (
    Environment,
    Expression,
    Literal,
    Operand,
    Reference,
    Scope,
    call,
    conditional,
    fmt,
)
from rlinf_constructs.helm.files import FileData, Files
from rlinf_constructs.helm.generated import Generated
from rlinf_constructs.helm.kinds import Kind
from rlinf_constructs.helm.made_objects import made_objects
from rlinf_constructs.helm.named_templates import Argument, Function, Helper, ListOf, MapOf, Only
from rlinf_constructs.helm.placeholders import (
    BooleanLike,
    IntegerLike,
    StringLike,
    all_of,
    boolean,
    each,
    each_entry,
    extend,
    number,
    shared,
    splice,
    string,
    string_list,
    unless_empty,
    when,
)
from rlinf_constructs.helm.rules import Rule, for_each, for_each_entry
from rlinf_constructs.helm.texts import Block, JsonText
from rlinf_constructs.helm.values import ValuesRef

__all__ = [
    "Argument",
    "Block",
    "BooleanLike",
    "Environment",
    "Expression",
    "FileData",
    "Files",
    "Function",
    "Generated",
    "HelmChart",
    "Helper",
    "IntegerLike",
    "JsonText",
    "Kind",
    "ListOf",
    "Literal",
    "MapOf",
    "Only",
    "Operand",
    "Reference",
    "Release",
    "Rule",
    "Scope",
    "StringLike",
    "ValuesError",
    "ValuesRef",
    "all_of",
    "boolean",
    "call",
    "conditional",
    "each",
    "each_entry",
    "extend",
    "fmt",
    "for_each",
    "for_each_entry",
    "is_hook",
    "made_objects",
    "number",
    "shared",
    "splice",
    "string",
    "string_list",
    "unless_empty",
    "when",
]
