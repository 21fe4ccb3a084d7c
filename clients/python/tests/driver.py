"""Makes the calls that the conformance list asks for: a JSON object per line on standard input, its outcome on standard output.

The argument is ``sync`` or ``async``.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any

from switchboard import (
    AsyncSwitchboard,
    Key,
    Switchboard,
    SwitchboardError,
    WebhookVerificationError,
    button,
    message,
    pressed,
    remove,
    reply,
    update,
    verify_webhook,
)

Given = dict[str, Any]
_NAMES = {"replyTo": "reply_to", "from": "sender"}


def activity(given: Given) -> Given:
    """An activity, or the neutral short form."""
    if "@context" in given:
        return given
    made = {_NAMES.get(name, name): value for name, value in given.items()}
    if "expires" in made:
        made["expires"] = datetime.fromisoformat(made["expires"].replace("Z", "+00:00"))
    made["buttons"] = [b if isinstance(b, str) else button(**b) for b in made.get("buttons", ())]
    return message(made.pop("to"), **made)


def sendable(given: Given) -> Given:
    return {**given, "message": activity(given["message"])} if "message" in given else activity(given)


def members(given: Given) -> list[Given]:
    return [{"integration_id": id} for id in given["members"]]


BUILDERS: dict[str, Callable[[Given], Any]] = {
    "compose": lambda given: activity(given["message"]),
    "reply": lambda given: reply(given["event"], given["text"], privately=given.get("privately", False)),
    "update": lambda given: update(activity(given["message"])),
    "remove": lambda given: remove(given["object_id"], to=given["to"], via=given.get("via")),
    "pressed": lambda given: pressed(given["event"]),
    "verify": lambda given: verify_webhook(
        given["body"], given["headers"], given["secrets"], now=given["now"], tolerance=given.get("tolerance", 300)
    ),
}


class Driver:
    def __init__(self, kind: type[Switchboard] | type[AsyncSwitchboard]) -> None:
        self._kind = kind
        self._client: Any = None

    async def run(self, op: str, given: Given) -> Any:
        if op in BUILDERS:
            return BUILDERS[op](given)
        made = getattr(self, op)(given)
        return await made if inspect.isawaitable(made) else made

    def open(self, given: Given) -> None:
        key = given.pop("key", None)
        self._client = self._kind(**given, key=Key(key["id"], key["secret"]) if key else None)

    def send(self, given: Given) -> Any:
        fields = {"idempotency_key": given.get("idempotency_key"), "category": given.get("category")}
        return self._client.messages.send(sendable(given["message"]), **fields)

    def send_all(self, given: Given) -> Any:
        messages = [sendable(each) for each in given["messages"]]
        return self._client.messages.send_all(messages, idempotency_key=given.get("idempotency_key"))

    def dry_run(self, given: Given) -> Any:
        return self._client.messages.dry_run(sendable(given["message"]))

    def get(self, given: Given) -> Any:
        return self._client.messages.get(given["id"])

    def cancel(self, given: Given) -> Any:
        return self._client.messages.cancel(given["id"])

    def resend(self, given: Given) -> Any:
        return self._client.messages.resend(given["id"])

    def attempts(self, given: Given) -> Any:
        return self._client.messages.attempts(given["id"])

    def settled(self, given: Given) -> Any:
        return self._client.messages.settled(given["id"], timeout=60)

    def application(self, _given: Given) -> Any:
        return self._client.applications.me()

    def user(self, _given: Given) -> Any:
        return self._client.me()

    def integrate(self, given: Given) -> Any:
        return self._client.integrations.create(**given)

    def sandbox(self, given: Given) -> Any:
        return self._client.sandbox.get(given["id"])

    def sandbox_messages(self, given: Given) -> Any:
        return self._client.sandbox.messages(given["id"], address=given.get("person"))

    def sandbox_shown(self, given: Given) -> Any:
        return self._client.sandbox.shown(given["id"], given["wanted"], timeout=60)

    def sandbox_reply(self, given: Given) -> Any:
        return self._client.sandbox.reply(given["id"], given["text"], from_=given["person"])

    def sandbox_press(self, given: Given) -> Any:
        return self._client.sandbox.press(given["id"], given["entry"], given["button"])

    def sandbox_react(self, given: Given) -> Any:
        return self._client.sandbox.react(given["id"], given["entry"], given["emoji"])

    def sandbox_join(self, given: Given) -> Any:
        return self._client.sandbox.join(given["id"], from_=given["person"])

    def sandbox_report(self, given: Given) -> Any:
        return self._client.sandbox.report(given["id"], given["entry"], given["receipt"])

    def sandbox_behave(self, given: Given) -> Any:
        return self._client.sandbox.behave(given["id"], [{"fault": name} for name in given["faults"]])

    def sandbox_reset(self, given: Given) -> Any:
        return self._client.sandbox.reset(given["id"])

    def channel(self, given: Given) -> Any:
        return self._client.channels.get(given["name"])

    def rename(self, given: Given) -> Any:
        return self._client.applications.update(given["id"], name=given["name"])

    def set_consent(self, given: Given) -> Any:
        return self._client.consents.set(given["family"], given["address"], given["consent_state"])

    def consent(self, given: Given) -> Any:
        return self._client.consents.get(given["id"])

    async def consents(self, _given: Given) -> Any:
        return await self._collect(self._client.consents.list())

    def import_consents(self, given: Given) -> Any:
        return self._client.consents.import_file(given["text"])

    def export_consents(self, _given: Given) -> Any:
        return self._client.consents.export_file()

    def import_contacts(self, given: Given) -> Any:
        return self._client.contacts.import_file(given["text"])

    def contact_import(self, given: Given) -> Any:
        return self._client.contacts.get_import(given["id"])

    async def contact_import_errors(self, given: Given) -> Any:
        return await self._collect(self._client.contacts.import_errors(given["id"]))

    async def contacts(self, _given: Given) -> Any:
        return await self._collect(self._client.contacts.list())

    def contact(self, given: Given) -> Any:
        return self._client.contacts.get(given["id"])

    def create_contact(self, given: Given) -> Any:
        address = {"channel": given["family"], "address": given["address"]}
        return self._client.contacts.create(name=given["name"], addresses=[address])

    def rename_contact(self, given: Given) -> Any:
        return self._client.contacts.update(given["id"], name=given["name"])

    def delete_contact(self, given: Given) -> Any:
        return self._client.contacts.delete(given["id"])

    def add_address(self, given: Given) -> Any:
        return self._client.contacts.add_address(given["id"], given["family"], given["address"])

    def prefer_address(self, given: Given) -> Any:
        return self._client.contacts.update_address(given["id"], given["address_id"], preference=1)

    def remove_address(self, given: Given) -> Any:
        return self._client.contacts.remove_address(given["id"], given["address_id"])

    def merge_contacts(self, given: Given) -> Any:
        return self._client.contacts.merge(given["id"], given["other_id"])

    def unmerge_contacts(self, given: Given) -> Any:
        return self._client.contacts.unmerge(given["id"], given["other_id"])

    def contact_merges(self, given: Given) -> Any:
        return self._client.contacts.merges(given["id"])

    def export_contact(self, given: Given) -> Any:
        return self._client.contacts.export_file(given["id"])

    def erase_contact(self, given: Given) -> Any:
        return self._client.contacts.erase(given["id"])

    def erasure(self, given: Given) -> Any:
        return self._client.contacts.erasure(given["id"])

    async def conversations(self, _given: Given) -> Any:
        return await self._collect(self._client.conversations.list())

    def conversation(self, given: Given) -> Any:
        return self._client.conversations.get(given["id"])

    async def conversation_messages(self, given: Given) -> Any:
        return await self._collect(self._client.conversations.messages(given["id"]))

    def read_conversation(self, given: Given) -> Any:
        return self._client.conversations.read(given["id"])

    async def pools(self, _given: Given) -> Any:
        return await self._collect(self._client.pools.list())

    def pool(self, given: Given) -> Any:
        return self._client.pools.get(given["id"])

    def create_pool(self, given: Given) -> Any:
        return self._client.pools.create(given["name"], members(given))

    def update_pool(self, given: Given) -> Any:
        return self._client.pools.update(given["id"], given["name"], members(given))

    def delete_pool(self, given: Given) -> Any:
        return self._client.pools.delete(given["id"])

    def schedule(self, given: Given) -> Any:
        return self._client.messages.send(sendable(given["message"]), send_at=given["send_at"])

    def reschedule(self, given: Given) -> Any:
        return self._client.messages.change(given["id"], send_at=given["send_at"])

    async def templates(self, _given: Given) -> Any:
        return await self._collect(self._client.templates.list())

    def create_template(self, given: Given) -> Any:
        return self._client.templates.create(given["name"], given["contents"], default_language="en")

    def template(self, given: Given) -> Any:
        return self._client.templates.get(given["id"], version=given.get("version"))

    def update_template(self, given: Given) -> Any:
        return self._client.templates.update(given["id"], given["contents"], default_language="en")

    def delete_template(self, given: Given) -> Any:
        return self._client.templates.delete(given["id"])

    def preview_template(self, given: Given) -> Any:
        return self._client.templates.preview(given["id"], parameters=given["parameters"], channels=given["channels"])

    def policies(self, given: Given) -> Any:
        return self._client.applications.policies(given["id"])

    def set_policies(self, given: Given) -> Any:
        return self._client.applications.set_policies(given["id"], given["policies"])

    def sign_in(self, given: Given) -> Any:
        return self._client.sign_in(**given)

    async def act_for(self, given: Given) -> None:
        self._client = self._client.act_for(given["id"])

    async def list(self, given: Given) -> Any:
        return await self._collect(self._client.messages.list(**given))

    async def pages(self, given: Given) -> Any:
        return [len(page) for page in await self._collect(self._client.messages.list(**given).pages())]

    async def events(self, given: Given) -> Any:
        count = given.pop("count")
        return await self._collect(self._client.events(**given), count)

    async def _collect(self, items: Any, count: int | None = None) -> Any:
        found: Any = []
        if hasattr(items, "__aiter__"):
            async for item in items:
                found.append(item)
                if len(found) == count:
                    break
        else:
            for item in items:
                found.append(item)
                if len(found) == count:
                    break
        return found


def failure(error: Exception) -> Given:
    if isinstance(error, SwitchboardError):
        return {
            "kind": "call",
            "code": error.code,
            "status": error.status,
            "detail": error.detail,
            "text": str(error),
            "errors": [{"pointer": one.pointer, "detail": one.detail} for one in error.errors],
            "requestId": error.request_id,
            "retryAfter": error.retry_after,
            "accepted": len(error.accepted),
        }
    kind = "webhook" if isinstance(error, WebhookVerificationError) else "usage"
    if kind == "usage" and not isinstance(error, (ValueError, TypeError)):
        raise error
    return {"kind": kind, "text": str(error)}


async def main(driver: Driver) -> None:
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        asked = json.loads(line)
        try:
            outcome: Given = {"value": await driver.run(asked["op"], asked["given"])}
        except (SwitchboardError, WebhookVerificationError, ValueError, TypeError) as error:
            outcome = {"error": failure(error)}
        if not isinstance(outcome.get("value"), (dict, list, str, int, float, bool, type(None))):
            outcome = {"value": None}
        print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    run: Coroutine[Any, Any, None] = main(Driver(AsyncSwitchboard if sys.argv[1:] == ["async"] else Switchboard))
    asyncio.run(run)
