"""Two renderings compared as Kubernetes people think of them: by object and by field.

objects, objects -> secrets masked -> changes -> for people (colours), for tools (unified text, JSON)
"""

from rlinf_charts.comparison.objects import Change, compare
from rlinf_charts.comparison.release import release_objects
from rlinf_charts.comparison.rendering import objects_of, secrets_in
from rlinf_charts.comparison.show import as_json, as_unified_text, print_changes

__all__ = [
    "Change",
    "as_json",
    "as_unified_text",
    "compare",
    "objects_of",
    "print_changes",
    "release_objects",
    "secrets_in",
]
