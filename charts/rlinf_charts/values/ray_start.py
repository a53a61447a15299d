"""Options of `ray start`, of which KubeRay makes each pod's command: one that Ray does not know ends it at once."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import WithJsonSchema

_WHOLE_NUMBERS = (
    "dashboard-agent-grpc-port",
    "dashboard-agent-listen-port",
    "dashboard-port",
    "max-worker-port",
    "memory",
    "metrics-export-port",
    "min-worker-port",
    "node-manager-port",
    "num-cpus",
    "num-gpus",
    "object-manager-port",
    "object-store-memory",
    "port",
    "ray-client-server-port",
    "runtime-env-agent-port",
    "system-reserved-memory",
)
_SWITCHES = (
    "block",
    "disable-usage-stats",
    "enable-object-reconstruction",
    "enable-resource-isolation",
    "head",
    "include-dashboard",
    "include-log-monitor",
    "no-monitor",
    "no-redirect-output",
    "ray-debugger-external",
    "verbose",
)
_JSON_OBJECTS = ("resources", "system-config")
_TEXTS = (
    "address",
    "autoscaling-config",
    "cgroup-path",
    "labels",
    "labels-file",
    "log-color",
    "log-style",
    "node-ip-address",
    "node-name",
    "object-spilling-directory",
    "plasma-directory",
    "proxy-server-url",
    "redis-shard-ports",
    "redis-username",
    "system-reserved-cpu",
    "temp-dir",
    "tracing-startup-hook",
    "worker-port-list",
)
_DASHBOARD_HOST, _PASSWORD = "dashboard-host", "redis-password"
OPTIONS = frozenset((*_WHOLE_NUMBERS, *_SWITCHES, *_JSON_OBJECTS, *_TEXTS, _DASHBOARD_HOST, _PASSWORD))


def _one_of(*names: str) -> str:
    return f"^({'|'.join(names)})$"


def _text(pattern: str, description: str) -> dict[str, Any]:
    return {"type": "string", "pattern": pattern, "description": description}


# KubeRay puts each value behind `--NAME=` in a line for a shell as it is, and makes a switch of true.
RayStartParams = Annotated[
    dict[str, str],
    WithJsonSchema(
        {
            "type": "object",
            "patternProperties": {
                _one_of(*_WHOLE_NUMBERS): _text("^[0-9]{1,18}$", "A whole number, as a text."),
                _one_of(*_SWITCHES): _text("^(true|false)$", "true or false, as a text."),
                _one_of(*_JSON_OBJECTS): _text(
                    r"""^('\{[^']*\}'|"\{.*\}")$""",
                    'A JSON object in quotes of its own, for a shell takes them away: "\'{\\"disk\\": 1}\'".',
                ),
                _one_of(*_TEXTS): _text(
                    r"""^('[^']*'|"[^"]*"|[-A-Za-z0-9_./:=,@%+~${}]+)$""",
                    "A text that a shell takes for one word; what has spaces needs quotes of its own.",
                ),
                _one_of(_DASHBOARD_HOST): _text(
                    r"^(0\.0\.0\.0|::)$", "0.0.0.0 or ::, for the dashboard is asked from other pods."
                ),
                _one_of(_PASSWORD): _text(
                    r"^\$\{?[A-Za-z_][A-Za-z0-9_]*\}?$",
                    "A variable of the environment, such as $REDIS_PASSWORD: all who can read pods see the option.",
                ),
            },
        }
    ),
]
