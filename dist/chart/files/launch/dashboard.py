"""The HTTP interface of a head's dashboard, with Ray's token."""

import http.client
import json
import urllib.error
import urllib.request
from typing import Any

from .exit_codes import BootstrapError, ExitCode

_REQUEST_S = 2.0
_REFUSAL_MAX_BYTES = 1000
# Without a token and with a wrong one.
_REFUSALS = (401, 403)


class Dashboard:
    """One head's dashboard."""

    def __init__(self, address: str, *, token: str | None) -> None:
        self._address = address
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        # A proxy of the environment is meant for the world outside, not for this pod.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def get(self, path: str) -> Any:
        """What it answers.

        Raises:
            BootstrapError: (`RAY_AUTH`) it refuses the token.
            OSError: it does not answer, or not yet, or not with JSON.
        """
        return self._ask(path, method="GET")

    def post(self, path: str) -> Any:
        """What it answers to an order.

        Raises:
            BootstrapError: (`RAY_AUTH`) it refuses the token.
            OSError: it does not answer, or not with JSON.
        """
        return self._ask(path, method="POST")

    def text(self, path: str, *, within_s: float) -> str:
        """What it answers in plain text, when that may take longer.

        Raises:
            OSError: it does not answer in time, or refuses, in its own words.
        """
        try:
            return self._fetch(path, method="GET", within_s=within_s).decode(errors="replace")
        except urllib.error.HTTPError as error:
            raise OSError(f"{error}: {error.read(_REFUSAL_MAX_BYTES).decode(errors='replace')}") from error

    def _ask(self, path: str, *, method: str) -> Any:
        try:
            return json.loads(self._fetch(path, method=method, within_s=_REQUEST_S))
        except urllib.error.HTTPError as error:
            if error.code in _REFUSALS:
                raise _refused(self._address) from error
            raise
        except ValueError as error:
            raise OSError(f"the dashboard's answer to {path} is no JSON: {error}") from error

    def _fetch(self, path: str, *, method: str, within_s: float) -> bytes:
        request = urllib.request.Request(f"http://{self._address}/{path}", headers=self._headers, method=method)
        try:
            with self._opener.open(request, timeout=within_s) as response:
                return response.read()
        except http.client.HTTPException as error:
            # A head that dies in the middle of its answer, or a port that speaks something else.
            raise OSError(f"no whole answer from {self._address}: {error!r}") from error


def _refused(address: str) -> BootstrapError:
    return BootstrapError(
        ExitCode.RAY_AUTH,
        f"Ray's dashboard at {address} refused this pod's token: it is not the one that the head started with; restart "
        "the run's pods if the Secret has changed since, or name the head's Secret in ray.auth.existingSecret",
    )
