"""The chart's values as one pydantic tree; schema, values.yaml and the reference are generated from it."""

from rlinf_charts.values.root import RlinfValues

__all__ = ["RlinfValues"]
