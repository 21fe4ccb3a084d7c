import os

from switchboard import Switchboard, pressed, reply


def take_orders(client: Switchboard) -> None:
    """Offers drinks to everybody who writes, and confirms the one that they choose."""
    for event in client.events(types=["message.received"]):
        drink = pressed(event)
        if drink is None:
            answer = reply(event, "What would you like?", buttons=["Coffee", "Tea"])
        else:
            answer = reply(event, markdown=f"One **{drink}** is on its way.")
        # The key prevents a second answer if the bot starts again.
        client.messages.send(answer, idempotency_key=f"python-order-{event['id']}")


if __name__ == "__main__":
    url = os.environ.get("SWITCHBOARD_URL", "http://localhost:8080")
    take_orders(Switchboard(url, token=os.environ["SWITCHBOARD_TOKEN"]))
