"""Everything that is wrong with values files, found before a cluster sees them.

First the chart's schema, and its rules as far as they read nothing that the schema has refused; then the objects, which
only valid values give: Kubernetes' own schemas, and the room on the nodes that pods select.
"""

from rlinf_charts.validation.check import Report, check
from rlinf_charts.validation.faults import Fault, Given
from rlinf_charts.validation.kubernetes import KubernetesSchemas, known_versions
from rlinf_charts.validation.room import room_faults

__all__ = ["Fault", "Given", "KubernetesSchemas", "Report", "check", "known_versions", "room_faults"]
