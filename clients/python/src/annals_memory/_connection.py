"""Requests over HTTP: the key, time limits, repeated attempts, and errors as exceptions.

Attempts are repeated only if the service cannot have carried the request out: when no connection came about, and on 429 and 503,
after the time in `Retry-After`. So every request may be repeated, also those that are not idempotent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx
from httpx_retries import Retry, RetryTransport

from .errors import UnreachableError, problem

# The service itself ends a request after 60 seconds.
USUAL_TIMEOUT = 75.0
CONNECT_TIMEOUT = 5.0
LONGEST_WAIT = 30.0
JSON_TYPES = ("application/json", "application/problem+json")
METHODS = ("GET", "PUT", "POST", "PATCH", "DELETE")


def path(*segments: str) -> str:
    """Returns a path. A slash within a segment is part of the name."""
    return "/" + "/".join(quote(segment, safe="") for segment in segments)


def given(**fields: Any) -> dict[str, Any]:
    """Returns the fields that have a value. A name that is a keyword of Python ends with `_`."""
    return {name.rstrip("_"): value for name, value in fields.items() if value is not None}


def query(fields: Mapping[str, Any]) -> dict[str, str]:
    """Returns query parameters as the service reads them."""
    return {name: _word(value) for name, value in fields.items()}


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, (list, tuple)) else str(value)


def _retry(attempts: int) -> Retry:
    return Retry(
        total=attempts,
        allowed_methods=METHODS,
        status_forcelist=(429, 503),
        retry_on_exceptions=(httpx.ConnectError, httpx.ConnectTimeout),
        backoff_factor=0.5,
        max_backoff_wait=LONGEST_WAIT,
    )


def _options(url: str, key: str | None, timeout: float) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return {
        "base_url": url.rstrip("/"),
        "headers": headers,
        "timeout": httpx.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT)),
    }


def _answer(response: httpx.Response) -> Any:
    """Returns the body of an answer, or raises its problem."""
    is_json = response.headers.get("content-type", "").split(";")[0] in JSON_TYPES
    body = response.json() if is_json and response.content else response.text
    if response.is_success:
        return body if response.content else None
    raise problem(response.status_code, body, response.headers.get("retry-after"))


def _unreachable(error: httpx.TransportError, url: str) -> UnreachableError:
    return UnreachableError(f"no answer from {url}: {error or type(error).__name__}; is `annals serve` running there?")


class Connection:
    """A pool of connections. Threads may share it."""

    def __init__(self, url: str, key: str | None, timeout: float, retries: int) -> None:
        self.url = url
        transport = RetryTransport(transport=httpx.HTTPTransport(), retry=_retry(retries)) if retries else None
        self.http = httpx.Client(transport=transport, **_options(url, key, timeout))

    def ask(self, method: str, path: str, **options: Any) -> Any:
        try:
            return _answer(self.http.request(method, path, **options))
        except httpx.TransportError as error:
            raise _unreachable(error, self.url) from error

    def close(self) -> None:
        self.http.close()


class AsyncConnection:
    """The same for one event loop."""

    def __init__(self, url: str, key: str | None, timeout: float, retries: int) -> None:
        self.url = url
        transport = RetryTransport(transport=httpx.AsyncHTTPTransport(), retry=_retry(retries)) if retries else None
        self.http = httpx.AsyncClient(transport=transport, **_options(url, key, timeout))

    async def ask(self, method: str, path: str, **options: Any) -> Any:
        try:
            return _answer(await self.http.request(method, path, **options))
        except httpx.TransportError as error:
            raise _unreachable(error, self.url) from error

    async def close(self) -> None:
        await self.http.aclose()
