"""Settings that the clients share."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass, replace

from ._calls import base_url
from ._http import Attempt, Request
from ._token import Key, TokenSource, token_source

DEFAULT_TIMEOUT_SECONDS = 30.0
DEFAULT_RETRIES = 3
# How long the service holds a request while there is no event, and the time allowed for a response beyond that.
WAIT_SECONDS = 30
EXTRA_TIMEOUT_SECONDS = 30
# The minimum time between requests for events, for a service that does not hold them.
MIN_INTERVAL_SECONDS = 1.0
# The waits between two requests for the state of a message; the last one repeats.
POLL_DELAYS_SECONDS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.0)
UNSETTLED = ("scheduled", "queued", "sending")


@dataclass(frozen=True)
class Settings:
    url: str
    token: TokenSource
    application: int | None
    timeout: float
    retries: int
    tls: ssl.SSLContext | None

    @staticmethod
    def of(
        url: str,
        token: str | Callable[[], str] | None,
        key: Key | None,
        application: int | None,
        timeout: float,
        retries: int,
        tls: ssl.SSLContext | None,
    ) -> Settings:
        base = base_url(url)
        if tls is None and base.startswith("https:"):
            # Loading the certificates takes longer than a request.
            tls = ssl.create_default_context()
        return Settings(base, token_source(token, key), application, timeout, retries, tls)

    def acting_for(self, application: int) -> Settings:
        return replace(self, application=application)

    def attempt(self, request: Request, timeout: float | None) -> Attempt:
        """One attempt with a current token."""
        headers = dict(request.headers)
        token = self.token()
        if token:
            headers["authorization"] = f"Bearer {token}"
        if self.application is not None:
            headers["switchboard-application"] = str(self.application)
        signed = replace(request, headers=headers)
        return Attempt(signed, self.timeout if timeout is None else timeout, self.tls)



