/* How the Python client makes each call, by operation. A test runs all of them and checks their types. */

export const PYTHON: Readonly<Record<string, string>> = {
  // Messages
  sendMessage: `from switchboard import message

accepted = client.messages.send(
    message("123456789", via="telegram", markdown="Your order is **on its way**.")
)`,
  sendMessages: `from switchboard import message

accepted = client.messages.send_all([
    message("123456789", via="telegram", text="Your order is packed."),
    message("987654321", via="telegram", text="Your order is on its way."),
])`,
  listMessages: `for found in client.messages.list(state="failed"):
    print(found["id"], found["state"])`,
  getMessage: `found = client.messages.get(5615)`,
  changeMessage: `client.messages.change(5615, send_at={"local": "2026-12-01T09:00", "zone": "Europe/Berlin"})`,
  cancelMessage: `client.messages.cancel(5615)`,
  listMessageAttempts: `attempts = client.messages.attempts(5615)`,
  resendMessage: `accepted = client.messages.resend(5615)`,
  retryMessage: `found = client.messages.retry(5615)`,

  // Applications
  createApplication: `application = client.applications.create("order-updates")`,
  listApplications: `for application in client.applications.list():
    print(application["id"], application["name"])`,
  getOwnApplication: `application = client.applications.me()`,
  getApplication: `application = client.applications.get(4)`,
  updateApplication: `client.applications.update(4, webhook_url="https://example.com/events")`,
  deleteApplication: `client.applications.delete(4)`,
  getPolicies: `consent = client.applications.policies(4)["consent"]`,
  updatePolicies: `client.applications.set_policies(4, {"consent": {"double_opt_in": True}})`,

  // Consents
  listConsents: `for consent in client.consents.list():
    print(consent["address"], consent["state"])`,
  setConsent: `consent = client.consents.set("sms", "+15558675310", "revoked", scope="marketing")`,
  getConsent: `history = client.consents.get(7)["history"]`,
  importConsents: `result = client.consents.import_file(
    "family,address,scope,state,evidence\\nsms,+15558675310,all,revoked,letter of 3 May"
)`,
  exportConsents: `print(client.consents.export_file(format="ndjson"))`,
  deleteConsent: `client.consents.delete(7)`,

  // Contacts
  listContacts: `for contact in client.contacts.list(search="ada"):
    print(contact["id"], contact["name"])`,
  importContacts: `started = client.contacts.import_file(
    "external_id,name,sms\\ncustomer-4712,Grace Hopper,+12025550143\\n"
)`,
  createContact: `contact = client.contacts.create(
    external_id="customer-4711",
    name="Ada Lovelace",
    addresses=[{"channel": "sms", "address": "+15558675310"}],
)`,
  getContact: `contact = client.contacts.get(42)`,
  updateContact: `client.contacts.update(42, timezone="Europe/London")`,
  deleteContact: `client.contacts.delete(42)`,
  addAddress: `address = client.contacts.add_address(42, "whatsapp", "15558675310", preference=10)`,
  updateAddress: `client.contacts.update_address(42, 43, state="disabled")`,
  removeAddress: `client.contacts.remove_address(42, 43)`,

  // Conversations
  listConversations: `for conversation in client.conversations.list():
    print(conversation["to"], conversation["unread"])`,
  getConversation: `conversation = client.conversations.get(7)`,
  listConversationMessages: `for entry in client.conversations.messages(7):
    print(entry["direction"], entry["at"])`,
  readConversation: `client.conversations.read(7)`,
  uploadConversationFile: `file = client.conversations.upload(
    7, b"Your invoice", name="invoice.txt", media_type="text/plain"
)`,

  // Integrations
  createIntegration: `integration = client.integrations.create("telegram", token="12345:fake")`,
  listIntegrations: `for integration in client.integrations.list():
    print(integration["id"], integration["name"])`,
  getIntegration: `integration = client.integrations.get(5)`,
  updateIntegration: `client.integrations.update(5, "telegram", token="12345:fake")`,
  deleteIntegration: `client.integrations.delete(5)`,
  checkIntegration: `check = client.integrations.check(5)`,

  // Pools
  listPools: `for pool in client.pools.list():
    print(pool["name"], pool["members"])`,
  createPool: `pool = client.pools.create(
    "sms", [{"integration_id": 5, "weight": 3}, {"integration_id": 6}], strategy="weighted"
)`,
  getPool: `pool = client.pools.get(1)`,
  updatePool: `client.pools.update(1, "sms", [{"integration_id": 5}, {"integration_id": 6}])`,
  deletePool: `client.pools.delete(1)`,

  // Templates
  listTemplates: `for template in client.templates.list():
    print(template["name"], template["version"])`,
  createTemplate: `template = client.templates.create(
    "order_shipped",
    {
        "en": {"content": "Your order {{ number }} is on its way."},
        "pt": {"content": "Seu pedido {{ number }} está a caminho."},
    },
    default_language="en",
)`,
  getTemplate: `template = client.templates.get(1)`,
  updateTemplate: `client.templates.update(
    1,
    {"en": {"content": "Your order {{ number }} has left our warehouse."}},
    default_language="en",
)`,
  deleteTemplate: `client.templates.delete(1)`,
  previewTemplate: `preview = client.templates.preview(
    1, language="pt-BR", parameters={"number": "4711"}, channels=["telegram"]
)`,
  listVendorTemplates: `templates = client.integrations.templates(5)["data"]`,
  syncVendorTemplates: `sync = client.integrations.sync_templates(5)`,

  // Sandbox
  getSandbox: `sandbox = client.sandbox.get(5)`,
  listSandboxMessages: `shown = client.sandbox.messages(5)`,
  replyInSandbox: `client.sandbox.reply(5, "Yes, please", from_="123456789")`,
  pressInSandbox: `client.sandbox.press(5, 71, "Yes")`,
  reactInSandbox: `client.sandbox.react(5, 71, "👍")`,
  joinInSandbox: `client.sandbox.join(5, from_="123456789", room="-1001234567890")`,
  leaveInSandbox: `client.sandbox.leave(5, from_="123456789", room="-1001234567890")`,
  blockInSandbox: `client.sandbox.block(5, from_="123456789")`,
  reportInSandbox: `client.sandbox.report(5, 71, "read")`,
  resetSandbox: `client.sandbox.reset(5)`,
  setSandboxBehaviour: `client.sandbox.behave(5, [{"fault": "limited", "seconds": 60}])`,

  // Events and webhooks
  listEvents: `for event in client.events():
    print(event["id"], event["type"])`,
  getWebhook: `webhook = client.applications.webhook(4)`,

  // Channels
  listChannels: `channels = client.channels.list()`,

  // Accounts
  signIn: `user = client.sign_in(email="ada@example.com", password="a long example password")`,
  createApplicationToken: `token = client.applications.create_token(4)["token"]`,
  createApplicationKey: `key = client.applications.create_key(4)`,
  getOwnUser: `user = client.me()`,
};
