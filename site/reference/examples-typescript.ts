/* How the TypeScript client makes each call, by operation. A test checks the types of all of them. */

export const TYPESCRIPT: Readonly<Record<string, string>> = {
  // Messages
  sendMessage: `const message = await client.messages.send({
  to: '123456789',
  via: 'telegram',
  markdown: 'Your order is **on its way**.',
});`,
  sendMessages: `const accepted = await client.messages.sendAll([
  { to: '123456789', via: 'telegram', text: 'Your order is packed.' },
  { to: '987654321', via: 'telegram', text: 'Your order is on its way.' },
]);`,
  listMessages: `for await (const message of client.messages.list({ state: 'failed' })) {
  console.log(message.id, message.state);
}`,
  getMessage: `const message = await client.messages.get(5615);`,
  changeMessage: `await client.messages.change(5615, {
  sendAt: { local: '2026-12-01T09:00', zone: 'Europe/Berlin' },
});`,
  cancelMessage: `await client.messages.cancel(5615);`,
  listMessageAttempts: `const attempts = await client.messages.attempts(5615);`,
  resendMessage: `const message = await client.messages.resend(5615);`,
  retryMessage: `const message = await client.messages.retry(5615);`,
  getMessageImage: `const image = await client.messages.image(5615, 'https://example.com/parcel.png');`,
  resendMessages: `const job = await client.messages.resendAll({ state: 'failed', channel: 'telegram' });`,
  listJobs: `const jobs = await client.jobs.list().all();`,
  getJob: `const job = await client.jobs.get(12);`,
  cancelJob: `await client.jobs.cancel(12);`,

  // Applications
  createApplication: `const application = await client.applications.create({
  name: 'order-updates',
  team_id: 1,
  owner_id: 2,
  state: 'enable',
});`,
  listApplications: `const applications = await client.applications.list().all();`,
  getOwnApplication: `const application = await client.applications.me();`,
  getApplication: `const application = await client.applications.get(4);`,
  updateApplication: `await client.applications.update(4, { webhook_url: 'https://example.com/events' });`,
  deleteApplication: `await client.applications.delete(4);`,
  getDelivery: `const delivery = await client.applications.delivery(4);`,
  updateDelivery: `await client.applications.setDelivery(4, { uncertain: 'hold' });`,
  getPolicies: `const { consent } = await client.applications.policies(4);`,
  updatePolicies: `await client.applications.setPolicies(4, { consent: { double_opt_in: true } });`,
  disableApplication: `await client.applications.disable(4);`,

  // Consents
  listConsents: `const consents = await client.consents.list().all();`,
  setConsent: `const consent = await client.consents.set({
  family: 'sms',
  address: '+15558675310',
  scope: 'marketing',
  state: 'revoked',
});`,
  getConsent: `const { history } = await client.consents.get(7);`,
  importConsents: `const { imported, errors } = await client.consents.importFile(
  'family,address,scope,state,evidence\\nsms,+15558675310,all,revoked,letter of 3 May',
);`,
  exportConsents: `const file = await client.consents.exportFile('ndjson');
console.log(await file.text());`,
  deleteConsent: `await client.consents.delete(7);`,

  // Contacts
  listContacts: `const contacts = await client.contacts.list({ search: 'ada' }).all();`,
  createContact: `const contact = await client.contacts.create({
  external_id: 'customer-4711',
  name: 'Ada Lovelace',
  addresses: [{ channel: 'sms', address: '+15558675310' }],
});`,
  getContact: `const contact = await client.contacts.get(42);`,
  updateContact: `await client.contacts.update(42, { timezone: 'Europe/London' });`,
  deleteContact: `await client.contacts.delete(42);`,
  addAddress: `const address = await client.contacts.addAddress(42, {
  channel: 'whatsapp',
  address: '15558675310',
  preference: 10,
});`,
  updateAddress: `await client.contacts.updateAddress(42, 43, { state: 'disabled' });`,
  removeAddress: `await client.contacts.removeAddress(42, 43);`,

  // Conversations
  listConversations: `for await (const conversation of client.conversations.list()) {
  console.log(conversation.to, conversation.unread);
}`,
  getConversation: `const conversation = await client.conversations.get(7);`,
  listConversationMessages: `const entries = await client.conversations.messages(7).first(20);`,
  readConversation: `await client.conversations.read(7);`,
  uploadConversationFile: `const note = new Blob(['Your invoice'], { type: 'text/plain' });
const { url } = await client.conversations.upload(7, note, 'invoice.txt');`,
  getConversationFile: `const file = await client.conversations.file(7, 'fake-file-id');`,

  // Integrations
  createIntegration: `const integration = await client.integrations.create({ name: 'telegram', token: '12345:fake' });`,
  listIntegrations: `const integrations = await client.integrations.list().all();`,
  getIntegration: `const integration = await client.integrations.get(5);`,
  updateIntegration: `await client.integrations.update(5, { name: 'telegram', token: '12345:fake' });`,
  deleteIntegration: `await client.integrations.delete(5);`,
  disableIntegration: `await client.integrations.disable(5);`,
  checkIntegration: `const check = await client.integrations.check(5);`,
  getIntegrationHealth: `const health = await client.integrations.health(5);`,
  getHook: `const hook = await client.integrations.hook(5);`,
  registerHook: `const hook = await client.integrations.register(5);`,
  listIgnoredReports: `const ignored = await client.integrations.ignored(5).all();`,
  showTyping: `await client.integrations.typing(5, 'guest-Zk3pVb0m8Qx1rT6yNw5sJA');`,

  // Pools
  listPools: `const pools = await client.pools.list().all();`,
  createPool: `const pool = await client.pools.create({
  name: 'sms',
  strategy: 'weighted',
  members: [{ integration_id: 5, weight: 3 }, { integration_id: 6 }],
});`,
  getPool: `const pool = await client.pools.get(1);`,
  updatePool: `await client.pools.update(1, {
  name: 'sms',
  members: [{ integration_id: 5 }, { integration_id: 6 }],
});`,
  deletePool: `await client.pools.delete(1);`,

  // Templates
  listTemplates: `const templates = await client.templates.list().all();`,
  createTemplate: `const template = await client.templates.create({
  name: 'order_shipped',
  default_language: 'en',
  contents: {
    en: { content: 'Your order {{ number }} is on its way.' },
    pt: { content: 'Seu pedido {{ number }} está a caminho.' },
  },
});`,
  getTemplate: `const template = await client.templates.get(1);`,
  updateTemplate: `await client.templates.update(1, {
  default_language: 'en',
  contents: { en: { content: 'Your order {{ number }} has left our warehouse.' } },
});`,
  deleteTemplate: `await client.templates.delete(1);`,
  previewTemplate: `const preview = await client.templates.preview(1, {
  language: 'pt-BR',
  parameters: { number: '4711' },
  channels: ['telegram'],
});`,
  listVendorTemplates: `const { data } = await client.integrations.templates(5);`,
  syncVendorTemplates: `const sync = await client.integrations.syncTemplates(5);`,

  // Sandbox
  getSandbox: `const sandbox = await client.sandbox.get(5);`,
  listSandboxMessages: `const shown = await client.sandbox.messages(5).all();`,
  getSandboxFile: `const file = await client.sandbox.file(5, '1');`,
  replyInSandbox: `await client.sandbox.reply(5, { from: '123456789', text: 'Yes, please' });`,
  pressInSandbox: `await client.sandbox.press(5, { message: 71, button: 'Yes' });`,
  reactInSandbox: `await client.sandbox.react(5, { message: 71, emoji: '👍' });`,
  joinInSandbox: `await client.sandbox.join(5, { from: '123456789', room: '-1001234567890' });`,
  leaveInSandbox: `await client.sandbox.leave(5, { from: '123456789', room: '-1001234567890' });`,
  blockInSandbox: `await client.sandbox.block(5, { from: '123456789', blocked: true });`,
  reportInSandbox: `await client.sandbox.report(5, { message: 71, state: 'read' });`,
  resetSandbox: `await client.sandbox.reset(5);`,
  setSandboxBehaviour: `await client.sandbox.behave(5, [{ fault: 'limited', seconds: 60 }]);`,

  // Events
  listEvents: `for await (const event of client.events()) {
  console.log(event.id, event.type);
}`,
  getEvent: `const event = await client.event(812);`,
  getEventMedia: `const file = await client.download('/1/events/812/media/0');`,
  openRealtime: `for await (const event of client.realtime()) {
  console.log(event.id, event.type);
}`,

  // Webhooks
  getWebhook: `const webhook = await client.webhooks.get(4);`,
  rotateWebhookSecret: `const webhook = await client.webhooks.rotate(4);`,
  testWebhook: `const trial = await client.webhooks.test(4);`,
  resumeWebhook: `const webhook = await client.webhooks.resume(4);`,
  recoverWebhook: `const webhook = await client.webhooks.recover(4, { after: 800 });`,
  listWebhookDeliveries: `const deliveries = await client.webhooks.deliveries(4).all();`,
  getWebhookDelivery: `const delivery = await client.webhooks.delivery(4, 812);`,
  listWebhookDeliveryAttempts: `const attempts = await client.webhooks.attempts(4, 812);`,
  resendWebhookDelivery: `await client.webhooks.resend(4, 812);`,

  // Channels and statistics
  listChannels: `const channels = await client.channels.list();`,
  getChannelGuide: `const guide = await client.channels.guide('telegram');`,
  checkCredentials: `const result = await client.channels.check('telegram', { token: '12345:fake' });`,
  getOverview: `const overview = await client.statistics.overview();`,
  getStatistics: `const statistics = await client.statistics.get();`,

  // Accounts
  signIn: `const { token } = await client.tokens.signIn({ email: 'ada@example.com', password: 'a long example password' });`,
  createApplicationToken: `const { token } = await client.tokens.forApplication(4);`,
  createApplicationKey: `const key = await client.applicationKeys.create(4);`,
  listApplicationKeys: `const keys = await client.applicationKeys.list().all();`,
  getApplicationKey: `const key = await client.applicationKeys.get(9);`,
  revokeApplicationKey: `await client.applicationKeys.revoke(9);`,
  createUserKey: `const key = await client.userKeys.create(2);`,
  listUserKeys: `const keys = await client.userKeys.list().all();`,
  getUserKey: `const key = await client.userKeys.get(3);`,
  revokeUserKey: `await client.userKeys.revoke(3);`,
  getOwnUser: `const user = await client.users.me();`,
  listUsers: `const users = await client.users.list().all();`,
  createUser: `const user = await client.users.create({ email: 'ada@example.com', state: 'enable' });`,
  getUser: `const user = await client.users.get(2);`,
  updateUser: `await client.users.update(2, { email: 'ada@example.com', state: 'enable', name: 'Ada' });`,
  deleteUser: `await client.users.delete(2);`,
  getTeam: `const team = await client.teams.get(1);`,
  updateTeam: `await client.teams.update(1, { name: 'Support' });`,
  listTeamMembers: `const members = await client.teams.members(1).all();`,
  createInvitation: `const invitation = await client.invitations.create();`,
  listInvitations: `const invitations = await client.invitations.list().all();`,
  revokeInvitation: `await client.invitations.revoke(6);`,
  previewInvitation: `const offer = await client.invitations.preview('THE-CODE');`,
  acceptInvitation: `const user = await client.invitations.accept({ code: 'THE-CODE', email: 'ada@example.com', name: 'Ada', password: 'a long example password' });`,
  listAuditEntries: `const entries = await client.audit.list().all();`,
};
