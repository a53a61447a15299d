"""The HTTP interface of a head's dashboard, with Ray's token."""

import json
import urllib.request
from typing import Any

_REQUEST_S = 2.0


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
            OSError: it does not answer, or not yet, or not with JSON.
        """
        return self._ask(path, method="GET")

    def post(self, path: str) -> Any:
        """What it answers to an order.

        Raises:
            OSError: it does not answer, or not with JSON.
        """
        return self._ask(path, method="POST")

    def _ask(self, path: str, *, method: str) -> Any:
        url = f"http://{self._address}/{path}"
        request = urllib.request.Request(url, headers=self._headers, method=method)
        with self._opener.open(request, timeout=_REQUEST_S) as response:
            try:
                return json.load(response)
            except ValueError as error:
                raise OSError(f"the dashboard's answer to {path} is no JSON: {error}") from error
