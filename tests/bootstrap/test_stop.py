"""How a pod of KubeRay finds its head when the head's name is gone already."""

import socket

from rlinf_runtime.bootstrap import stop


def test_the_head_is_where_ray_is_connected_to():
    """From the kernel's table of connections, by the head's port."""
    with socket.create_server(("127.0.0.2", 0)) as head:
        port = head.getsockname()[1]
        assert stop.head_ip(port) is None
        with socket.create_connection(("127.0.0.2", port)):
            assert stop.head_ip(port) == "127.0.0.2"


def test_an_address_in_a_socket_for_both_families_is_read_as_the_one_that_it_is():
    """Ray opens such sockets, and the kernel lists them among those of IPv6."""
    with socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True) as head:
        port = head.getsockname()[1]
        with socket.socket(socket.AF_INET6) as ray:
            ray.connect(("::ffff:127.0.0.3", port))
            assert stop.head_ip(port) == "127.0.0.3"
