"""When to retry a call, and after how long."""

from __future__ import annotations

import random

from .errors import SwitchboardError

_FIRST_DELAY_SECONDS = 0.5
_MAX_DELAY_SECONDS = 8.0
# If the service asks to wait longer than this, the call fails instead.
_MAX_RETRY_AFTER_SECONDS = 60.0


def backoff(failures: int) -> float:
    """Exponential, from 0.5 to 8 seconds, with a random factor between 0.5 and 1."""
    most = min(_MAX_DELAY_SECONDS, _FIRST_DELAY_SECONDS * 2.0 ** min(failures - 1, 10))
    return most * random.uniform(0.5, 1)


def retry_delay(error: SwitchboardError, *, repeatable: bool, failures: int) -> float | None:
    """Seconds before a retry; None if the call must not be retried.

    A call whose response was lost may have taken effect, so it is retried only if it is safe to repeat.
    """
    own = backoff(failures)
    if error.code in ("no_answer", "timeout"):
        return own if repeatable else None
    # The service refused the call, or is still processing the first one with this idempotency key.
    refused = error.status in (429, 503) or error.code == "idempotency_in_flight"
    if not refused or error.retry_after is None:
        return None
    if error.retry_after > _MAX_RETRY_AFTER_SECONDS:
        return None
    # Jitter keeps clients from retrying at the same moment.
    return max(own, error.retry_after + random.uniform(0, _FIRST_DELAY_SECONDS))


def is_transient(error: SwitchboardError) -> bool:
    """Whether a feed may continue after the error."""
    return error.code in ("no_answer", "timeout") or error.status == 429 or error.status >= 500
