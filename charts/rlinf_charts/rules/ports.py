"""Rules on ports: those of Ray, and those of the containers beside it, which share the pod's address."""

from __future__ import annotations

import itertools
from typing import Any

from rlinf_charts.names import IS_KUBERAY, values
from rlinf_constructs.helm import Expression, Rule, fmt, for_each

_PORTS = {
    "ray.port": (values.ray.port, 6379),
    "ray.dashboardPort": (values.ray.dashboard_port, 8265),
    "ray.metricsPort": (values.ray.metrics_port, 8080),
}
# Of Ray's client server and of its agents, where KubeRay starts Ray; the bootstrap takes free ones instead.
_CLIENT_PORT, _AGENT_PORT = 10001, 52365
_LAST_OF_WORKERS = 19999


def _ports_differ(first: str, second: str) -> Rule:
    (port, usual), (other, other_usual) = _PORTS[first], _PORTS[second]
    return Rule(
        broken=port.equals(other),
        message=fmt(
            f"{first} and {second} are both ",
            port,
            f": each needs a port of its own, for example {usual} and {other_usual}",
        ),
    )


def _is_free(key: str) -> Rule:
    port, usual = _PORTS[key]
    return Rule(
        broken=IS_KUBERAY & (((port >= _CLIENT_PORT) & (port <= _LAST_OF_WORKERS)) | port.equals(_AGENT_PORT)),
        message=fmt(
            f"{key} is ",
            port,
            ", but in mode ",
            values.mode,
            f" Ray takes {_CLIENT_PORT} to {_LAST_OF_WORKERS} for its client and workers, and {_AGENT_PORT} for its "
            f"agent: choose another port, for example {usual}",
        ),
    )


def _place(index: Expression, position: Expression) -> Expression:
    return fmt("sidecars.", index, ".ports.", position, ".containerPort")


def _port_of_ray(index: Expression, position: Expression, port: Any, broken: Expression, words: str) -> Rule:
    number = port.container_port
    return Rule(
        broken=port.protocol.equals("TCP") & broken,
        message=fmt(
            _place(index, position),
            " is ",
            number,
            f", where {words} listens, and the containers of a pod share its ports: choose another one for the sidecar",
        ),
    )


def _no_port_of_ray(broken: Any, words: str) -> Rule:
    """No sidecar listens where Ray does."""
    return for_each(
        values.sidecars,
        lambda index, container: for_each(
            container.ports,
            lambda position, port: _port_of_ray(index, position, port, broken(port.container_port), words),
            name="port",
            index="position",
        ),
        name="container",
    )


def _port_of_an_earlier(index: Expression, position: Expression, port: Any, earlier: Expression, other: Any) -> Rule:
    return for_each(
        other.ports,
        lambda other_position, other_port: Rule(
            broken=((earlier < index) | (earlier.equals(index) & (other_position < position)))
            & other_port.container_port.equals(port.container_port)
            & other_port.protocol.equals(port.protocol),
            message=fmt(
                _place(index, position),
                " is ",
                port.container_port,
                ", and so is ",
                _place(earlier, other_position),
                ": the containers of a pod share its ports; choose another one, such as ",
                port.container_port + 1,
            ),
        ),
        name="otherPort",
        index="otherPosition",
    )


SIDECARS_DIFFER = for_each(
    values.sidecars,
    lambda index, container: for_each(
        container.ports,
        lambda position, port: for_each(
            values.sidecars,
            lambda earlier, other: _port_of_an_earlier(index, position, port, earlier, other),
            name="other",
            index="earlier",
        ),
        name="port",
        index="position",
    ),
    name="container",
)

RULES = [
    *(_ports_differ(*pair) for pair in itertools.combinations(_PORTS, 2)),
    *map(_is_free, _PORTS),
    *(_no_port_of_ray(port.equals, key) for key, (port, _) in _PORTS.items()),
    _no_port_of_ray(lambda port: IS_KUBERAY & port.equals(_CLIENT_PORT), "Ray's client server"),
    _no_port_of_ray(lambda port: IS_KUBERAY & port.equals(_AGENT_PORT), "Ray's agent"),
    SIDECARS_DIFFER,
]
