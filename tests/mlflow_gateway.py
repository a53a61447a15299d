"""A way to a real MLflow server that can be closed, fails, and loses answers; it keeps what it let through."""

import json
import threading
import urllib.error
import urllib.request
from collections import deque
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from port_numbers import next_ports


class Gateway:
    """Stands before the server at `address`.

    Attributes:
        faults: what happens to the next requests that log metrics: a status to answer with, "lose" to hand a request
            on and drop its answer, or "hang".
        logged: (key, step, timestamp) of every metric that the server has accepted.
        headers: of the newest request.
    """

    def __init__(self, target):
        self.faults = deque()
        self.logged = []
        self.headers = {}
        self._target = target
        self._server = None
        (self._port,) = next_ports()
        self.released = threading.Event()
        self.open()

    @property
    def address(self):
        return f"http://127.0.0.1:{self._port}"

    def open(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def hand_on(self, method, path, headers, body):
        """What the server answers: status and content."""
        request = urllib.request.Request(f"{self._target}{path}", data=body, method=method)
        request.add_header("Content-Type", "application/json")
        self.headers = headers
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                answer = response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        if path.endswith("runs/log-batch"):
            for each in json.loads(body)["metrics"]:
                self.logged.append((each["key"], each["step"], each["timestamp"]))
        return answer


def _handler(gateway):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self._answer(*gateway.hand_on("GET", self.path, dict(self.headers), None))

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_metrics = self.path.endswith("runs/log-batch")
            fault = gateway.faults.popleft() if is_metrics and gateway.faults else None
            if fault == "hang":
                gateway.released.wait()
            elif isinstance(fault, int):
                self._answer(fault, b'{"error_code": "TEMPORARILY_UNAVAILABLE", "message": "try again"}')
            else:
                answer = gateway.hand_on("POST", self.path, dict(self.headers), body)
                if fault != "lose":
                    self._answer(*answer)

        def _answer(self, status, content):
            with suppress(OSError):
                self.send_response(status)
                if status == 429:
                    self.send_header("Retry-After", "1")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_):
            pass

    return Handler
