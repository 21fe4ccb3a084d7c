"""Builds activities (https://www.w3.org/TR/activitystreams-core/) from short descriptions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Literal, NotRequired, TypedDict

Activity = dict[str, Any]
"""An Activity Streams activity."""

_CONTEXT = "https://www.w3.org/ns/activitystreams"


class Recipient(TypedDict):
    """The recipient of a message, with type and name."""

    id: str | int
    type: NotRequired[Literal["Person", "Group", "Application"]]
    name: NotRequired[str]


class Media(TypedDict):
    """A file."""

    url: str
    mediaType: NotRequired[str]
    name: NotRequired[str]
    """The file name, or a description of the image."""


class Place(TypedDict):
    latitude: float
    longitude: float
    name: NotRequired[str]


class Sender(TypedDict, total=False):
    id: str | int
    name: str


class Button(TypedDict):
    type: Literal["Button"]
    name: str
    url: NotRequired[str]
    value: NotRequired[str]


def button(name: str, *, url: str | None = None, value: str | None = None) -> Button:
    """A button that opens the URL or sends its value back; with neither, it sends its name."""
    made: Button = {"type": "Button", "name": name}
    if url is not None:
        made["url"] = url
    if value is not None:
        made["value"] = value
    return made


def message(
    to: str | int | Recipient,
    *,
    via: str | int | None = None,
    text: str | None = None,
    markdown: str | None = None,
    html: str | None = None,
    title: str | None = None,
    image: str | Media | None = None,
    video: str | Media | None = None,
    audio: str | Media | None = None,
    document: str | Media | None = None,
    place: Place | None = None,
    buttons: Sequence[str | Button] = (),
    attachments: Sequence[Mapping[str, Any]] = (),
    id: str | int | None = None,
    reply_to: str | int | None = None,
    thread: str | int | None = None,
    expires: datetime | str | None = None,
    sender: Sender | None = None,
) -> Activity:
    """The activity of a message.

    ``via`` is a channel or the id of an integration, and optional if the application has only one. ``id`` is your own id,
    to update or remove the message later.
    """
    made = _frame(to, via)
    files = [("Image", image), ("Video", video), ("Audio", audio), ("Document", document)]
    shown: list[Mapping[str, Any]] = [
        {"type": kind, **({"url": media} if isinstance(media, str) else media)}
        for kind, media in files
        if media is not None
    ]
    if place is not None:
        shown.append({"type": "Place", **place})
    shown.extend(attachments)
    offered: list[Mapping[str, Any]] = [
        button(one) if isinstance(one, str) else one for one in buttons
    ]
    content, media_type = _written(text, markdown, html)
    content_object = _object(content, media_type, title, shown, offered)
    if id is not None:
        content_object["id"] = id
    if reply_to is not None:
        content_object["inReplyTo"] = reply_to
    if thread is not None:
        content_object["context"] = {"type": "Object", "content": str(thread)}
    if sender is not None:
        made["actor"] = {"type": "Person", **sender}
    made["object"] = content_object
    if expires is not None:
        made["endTime"] = expires if isinstance(expires, str) else _moment(expires)
    return made


def reply(received: Mapping[str, Any], text: str | None = None, *, privately: bool = False, **content: Any) -> Activity:
    """Replies to a received message through the same integration: to the group if it came from one, otherwise to the sender.

    ``received`` is the event or its ``data``; ``content`` is that of ``message``.
    """
    data = received.get("data", received)
    said = data["object"]
    is_group = data["target"].get("type") == "Group" and not privately
    # In a group, replies go to the actor; the person is in attributedTo.
    person = said.get("attributedTo", {}).get("id", data["actor"]["id"]) if privately else data["actor"]["id"]
    to: str | Recipient = {"type": "Group", "id": data["target"]["id"]} if is_group else person
    defaults: dict[str, Any] = {"via": data["generator"]["id"]}
    if said.get("id") is not None:
        defaults["reply_to"] = said["id"]
    if said.get("context") and not privately:
        defaults["thread"] = said["context"]["content"]
    if text is not None:
        defaults["text"] = text
    return message(to, **{**defaults, **content})


def update(activity: Activity) -> Activity:
    """Changes the earlier message with the same id: ``update(message(to, id='order-7', text='Delivered'))``."""
    if activity["object"].get("id") is None:
        raise ValueError("update: an id is required")
    return {**activity, "type": "Update"}


def remove(id: str | int, *, to: str | int | Recipient, via: str | int | None = None) -> Activity:
    """Deletes the earlier message with that id."""
    return {**_frame(to, via), "type": "Delete", "object": {"type": "Tombstone", "id": id}}


def pressed(received: Mapping[str, Any]) -> str | None:
    """The value of the button that somebody pressed; None for any other message."""
    data = received.get("data", received)
    for attachment in data["object"].get("attachment", ()):
        if attachment.get("type") == "Button":
            value: str = attachment.get("value", attachment["name"])
            return value
    return None


def _frame(to: str | int | Recipient, via: str | int | None) -> Activity:
    recipient: Mapping[str, Any] = {"id": to} if isinstance(to, (str, int)) else to
    return {
        "@context": _CONTEXT,
        "type": "Create",
        "generator": {"type": "Service", **_via(via)},
        "to": {"type": "Person", **recipient},
    }


def _via(via: str | int | None) -> dict[str, str]:
    """Digits mean the id of an integration, ``pool:NAME`` a pool, anything else the name of a channel."""
    if via is None:
        return {}
    return {"id" if re.fullmatch("[0-9]+|pool:.*", str(via)) else "name": str(via)}


def _written(text: str | None, markdown: str | None, html: str | None) -> tuple[str | None, str | None]:
    if markdown is not None:
        return markdown, "text/markdown"
    if html is not None:
        return html, "text/html"
    return text, None


def _object(
    content: str | None,
    media_type: str | None,
    title: str | None,
    shown: list[Mapping[str, Any]],
    offered: list[Mapping[str, Any]],
) -> dict[str, Any]:
    """A single file or place without text becomes the object itself; anything else becomes a note with attachments."""
    bare = content is None and title is None
    if bare and len(shown) == 1 and shown[0]["type"] not in ("Link", "Button"):
        return {**shown[0], **({"attachment": offered} if offered else {})}
    made: dict[str, Any] = {"type": "Note"}
    if title is not None:
        made["name"] = title
    if content is not None:
        made["content"] = content
    if media_type is not None:
        made["mediaType"] = media_type
    if shown or offered:
        made["attachment"] = [*shown, *offered]
    return made


def _moment(moment: datetime) -> str:
    # A datetime without a zone is local time, as everywhere in Python.
    utc = moment.astimezone(timezone.utc)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"
