"""One HTTP request on a connection of its own, with a deadline for all of it."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from .errors import SwitchboardError


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(frozen=True)
class Response:
    status: int
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes


class Attempt:
    """An attempt that another thread may abort. Redirects are not followed: the token must not reach another server."""

    def __init__(self, request: Request, timeout: float, tls: ssl.SSLContext | None) -> None:
        self._request = request
        self._timeout = timeout
        parts = urlsplit(request.url)
        host = parts.hostname or ""
        if parts.scheme == "https":
            self._connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                host, parts.port, timeout=timeout, context=tls
            )
        else:
            self._connection = http.client.HTTPConnection(host, parts.port, timeout=timeout)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._target = parts.path + (f"?{parts.query}" if parts.query else "")
        self._expired = False
        self._aborted = False

    def run(self) -> Response:
        # A socket's own timeout starts again with every byte that arrives.
        timer = threading.Timer(self._timeout, self._expire)
        timer.daemon = True
        timer.start()
        try:
            return self._exchange()
        except (OSError, http.client.HTTPException, ValueError) as cause:
            if self._expired or isinstance(cause, TimeoutError):
                detail = f"no answer within {self._timeout:g} s from {self._origin}"
                raise SwitchboardError("timeout", detail) from cause
            detail = f"{self._origin} cannot be reached: {_reason(cause)}"
            raise SwitchboardError("no_answer", detail) from cause
        finally:
            timer.cancel()
            self._connection.close()

    def abort(self) -> None:
        """Ends ``run`` at once."""
        self._aborted = True
        sock = self._connection.sock
        if sock is None:
            return
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _expire(self) -> None:
        self._expired = True
        self.abort()

    def _exchange(self) -> Response:
        request = self._request
        self._connection.connect()
        if self._aborted:
            raise ConnectionAbortedError("aborted")
        self._connection.request(
            request.method, self._target, request.body, {**request.headers, "connection": "close"}
        )
        response = self._connection.getresponse()
        body = response.read()
        if self._aborted:
            # The end of the connection looks like the end of a response without a length.
            raise ConnectionAbortedError("aborted")
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Response(response.status, headers, body)


def _reason(cause: BaseException) -> str:
    text = str(cause).replace("\n", " ").strip()
    return text or type(cause).__name__
