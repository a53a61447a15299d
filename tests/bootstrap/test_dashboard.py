"""Answers that a head's dashboard, or whatever listens there, may give."""

import socket
import threading

import pytest

from rlinf_runtime.bootstrap.cluster import Cluster
from rlinf_runtime.bootstrap.dashboard import Dashboard
from rlinf_runtime.bootstrap.following.mlflow_server import MlflowError, MlflowServer


@pytest.fixture
def answering():
    """A server that sends these bytes to whoever asks, and hangs up: `answering(content)` is its address."""
    servers = []

    def serve(content):
        server = socket.create_server(("127.0.0.1", 0))
        servers.append(server)

        def run():
            try:
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.recv(65536)
                        connection.sendall(content)
            except OSError:
                pass

        threading.Thread(target=run, daemon=True).start()
        return f"127.0.0.1:{server.getsockname()[1]}"

    yield serve
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


CUT = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}"
NO_HTTP = b"\x16\x03\x01 something else\r\n"


@pytest.mark.parametrize("content", [CUT, NO_HTTP, b"", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"])
def test_a_head_that_dies_in_the_middle_of_its_answer_does_not_answer(answering, content):
    """The bootstrap waits on, as it does when nobody listens."""
    assert Cluster(Dashboard(answering(content), token="secret")).alive_or_none() is None


@pytest.mark.parametrize("content", [CUT, NO_HTTP, b""])
def test_an_answer_of_mlflow_that_is_cut_is_tried_again(answering, content):
    """Like none at all: the relay goes on with the metrics that it has."""
    with pytest.raises(MlflowError, match="no answer from http://"):
        MlflowServer(f"http://{answering(content)}", {}).check()


def test_the_words_of_a_server_that_minds_the_host_header_are_handed_on(answering):
    """MLflow from 3.5 on refuses names that --allowed-hosts has not, in plain text."""
    words = b"Invalid Host header - possible DNS rebinding attack detected"
    refusal = b"HTTP/1.1 403 Forbidden\r\nContent-Length: %d\r\n\r\n%s" % (len(words), words)
    with pytest.raises(MlflowError, match="HTTP 403 Forbidden Invalid Host header - possible DNS") as error:
        MlflowServer(f"http://{answering(refusal)}", {}).check()
    assert error.value.status == 403
