"""Ports that the values name, and one that nobody names."""

import socket
import threading
import time

import pytest

from rlinf_runtime.bootstrap import ports
from rlinf_runtime.bootstrap.exit_codes import BootstrapError, ExitCode
from rlinf_runtime.bootstrap.ports import Port


def test_every_taken_port_is_named_with_its_key():
    """All at once, whoever listens there: on the pod's address or on all of them."""
    with socket.create_server(("127.0.0.2", 0)) as one, socket.create_server(("", 0)) as other:
        wanted = [
            Port(f"ray.{name}", "127.0.0.2", server.getsockname()[1]) for name, server in (("a", one), ("b", other))
        ]
        with pytest.raises(BootstrapError) as refusal:
            ports.wait_until_free([*wanted, Port("ray.c", "0.0.0.0", 0)], time.sleep)
    assert refusal.value.exit_code is ExitCode.RAY_FAILED
    assert f"ports {wanted[0].number} (ray.a), {wanted[1].number} (ray.b), which" in str(refusal.value)


@pytest.mark.parametrize("host", ["127.0.0.2", "::1"])
def test_a_port_whose_connections_have_just_closed_is_free(host):
    """As after a container's restart: what the earlier life left is no listener."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:
        port = server.getsockname()[1]
        with socket.create_connection((host, port)), server.accept()[0] as accepted:
            accepted.shutdown(socket.SHUT_RDWR)
    ports.wait_until_free([Port("ray.port", host, port)], time.sleep)


def test_a_port_of_a_process_that_is_ending_is_waited_for():
    """A container's second life may begin while the first one's last process goes."""
    server = socket.create_server(("127.0.0.2", 0))
    wanted = Port("ray.port", "127.0.0.2", server.getsockname()[1])
    threading.Timer(1, server.close).start()
    ports.wait_until_free([wanted], time.sleep)
    assert server.fileno() == -1


def test_a_chosen_port_is_free_and_none_that_the_kernel_gives_out():
    """Else another server of this machine could get it before Ray opens it."""
    chosen = ports.free("127.0.0.2")
    assert 20000 <= chosen < 32768
    socket.create_server(("127.0.0.2", chosen)).close()
