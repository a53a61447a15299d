"""What a run will take, from its values: ranks, batches, memory, checkpoints, money."""

from rlinf_charts.planning.memory import MemoryEstimate
from rlinf_charts.planning.plan import Plan, PlanError, make_plan

__all__ = ["MemoryEstimate", "Plan", "PlanError", "make_plan"]
