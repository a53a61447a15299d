"""The version of the toolkit, the chart and the runtime, which are released together."""

VERSION = "0.1.0"
