"""What can go wrong, as exceptions. The service answers errors as problem documents (RFC 9457); each becomes the class of its status
with the members of the document. Programs branch on the class or on `code`, which docs/problems.md lists; `detail` is for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class AnnalsError(Exception):
    """Base of all exceptions of this package."""


class UnreachableError(AnnalsError):
    """The service did not answer: it is not running, not at this address, or the time was over."""


class ProblemError(AnnalsError):
    """The service answered with an error."""

    def __init__(self, status: int, body: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.code = str(body.get("code") or "")
        self.detail = str(body.get("detail") or body.get("title") or f"status {status}")
        self.faults: list[dict[str, str]] = list(body.get("faults") or [])
        self.request_id = str(body.get("request_id") or "")
        self.retry_after = retry_after
        super().__init__(f"{status} {self.code}: {self.detail}" if self.code else f"{status}: {self.detail}")


class InvalidRequestError(ProblemError):
    """The request is wrong (400, 413, 415, 422); `faults` names each field. Sending it again fails again."""


class AuthenticationError(ProblemError):
    """The key is missing or not good (401)."""


class PermissionDeniedError(ProblemError):
    """The key lacks a scope, or Host or Origin are not allowed (403)."""


class NotFoundError(ProblemError):
    """There is no such thing, or the key may not use it (404)."""


class ConflictError(ProblemError):
    """It is stored with other content, exists already, or changed meanwhile (409)."""


class OverloadedError(ProblemError):
    """Too much at once, or something is down (429, 503, 504). `retry_after` says when to try again, in seconds."""


CLASSES: dict[int, type[ProblemError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: OverloadedError,
    503: OverloadedError,
    504: OverloadedError,
}


def problem(status: int, body: object, retry_after: str | None) -> ProblemError:
    """Returns the exception for an answer. What is no problem document, such as a proxy's page, is kept as its detail."""
    fields: dict[str, Any] = body if isinstance(body, dict) else {"detail": str(body).strip()[:500]}
    if isinstance(fields.get("error"), dict):
        # The interfaces of other programs use other shapes, with the same words.
        fields = {"code": fields.get("code"), "detail": fields["error"].get("message")}
    seconds = float(retry_after) if retry_after and retry_after.isdigit() else None
    return CLASSES.get(status, ProblemError)(status, fields, seconds)
