import os
import unittest
from threading import Thread

from bot import take_orders
from switchboard import Switchboard

url = os.environ.get("SWITCHBOARD_URL", "http://localhost:8080")


class OrderTest(unittest.TestCase):
    def test_a_guest_orders_a_coffee(self) -> None:
        client = Switchboard(url, token=os.environ["SWITCHBOARD_TOKEN"])
        id = client.integrations.create("telegram", mode="sandbox")["id"]
        Thread(target=take_orders, args=[client], daemon=True).start()
        client.sandbox.reply(id, "Hello")
        question = client.sandbox.shown(id, "What would you like?", timeout=30)
        client.sandbox.press(id, question["id"], "Coffee")
        answer = client.sandbox.shown(id, "on its way", timeout=30)
        self.assertEqual(answer["text"], "One Coffee is on its way.")
