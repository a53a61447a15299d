"""A login service for a real registry, as GitHub, GitLab and Harbor have one: a login there gives a token for here."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import threading
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

_NAME = "charts.example.test"


@dataclass(frozen=True, kw_only=True)
class Login:
    """The service, and what the registry must be told of it."""

    registry_auth: dict[str, Any]


@contextmanager
def run_login(folder: Path, *, user: str, password: str) -> Iterator[Login]:
    """Serve until the test is done."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed: apt-get install openssl")
    key, certificate = folder / "login.key", folder / "login.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={_NAME}"]
    subprocess.run([*make, "-keyout", key, "-out", certificate], check=True, capture_output=True, timeout=60)
    expected = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Authorization") != expected:
                self.send_error(401)
                return
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
            body = json.dumps({"token": _token(key, certificate, query.get("scope", []))}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        realm = f"http://127.0.0.1:{server.server_port}/token"
        token = {"realm": realm, "service": _NAME, "issuer": _NAME, "rootcertbundle": str(certificate)}
        yield Login(registry_auth={"token": token})
        server.shutdown()


def _token(key: Path, certificate: Path, scopes: list[str]) -> str:
    """A JSON web token for what was asked."""
    now = int(time.time())
    der = subprocess.run(["openssl", "x509", "-in", certificate, "-outform", "DER"], check=True, capture_output=True)
    header = {"typ": "JWT", "alg": "RS256", "x5c": [base64.b64encode(der.stdout).decode()]}
    claims = {
        "iss": _NAME,
        "aud": _NAME,
        "sub": "robot",
        "nbf": now - 10,
        "iat": now,
        "exp": now + 300,
        "access": [_access(scope) for scope in scopes],
    }
    signed = f"{_encoded(json.dumps(header).encode())}.{_encoded(json.dumps(claims).encode())}"
    sign = ["openssl", "dgst", "-sha256", "-sign", key]
    signature = subprocess.run(sign, input=signed.encode(), check=True, capture_output=True, timeout=60).stdout
    return f"{signed}.{_encoded(signature)}"


def _access(scope: str) -> dict[str, Any]:
    kind, name, actions = scope.split(":")
    return {"type": kind, "name": name, "actions": actions.split(",")}


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
