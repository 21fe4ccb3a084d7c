"""The client for Switchboard: one API in front of all messaging channels."""

from ._token import Key
from .aio import AsyncSwitchboard
from .api import AcceptedMessage, Event, EventType, Message, MessageDetail, ProblemCode, WebhookTest
from .client import Switchboard
from .compose import Activity, Button, Media, Place, Recipient, button, message, pressed, remove, reply, update
from .errors import ClientCode, ErrorCode, FieldError, SwitchboardError
from .webhook import WebhookVerificationError, verify_webhook

__all__ = [
    "AcceptedMessage",
    "Activity",
    "AsyncSwitchboard",
    "Button",
    "ClientCode",
    "ErrorCode",
    "Event",
    "EventType",
    "FieldError",
    "Key",
    "Media",
    "Message",
    "MessageDetail",
    "Place",
    "ProblemCode",
    "Recipient",
    "Switchboard",
    "SwitchboardError",
    "WebhookTest",
    "WebhookVerificationError",
    "button",
    "message",
    "pressed",
    "remove",
    "reply",
    "update",
    "verify_webhook",
]
