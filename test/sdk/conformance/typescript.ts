import assert from 'node:assert/strict';

import {
  type Activity,
  type Composable,
  Switchboard,
  SwitchboardError,
  WebhookVerificationError,
  activityOf,
  button,
  pressed,
  remove,
  reply,
  update,
  verifyWebhook,
} from '../../../sdk/src/index.ts';
import type { CallFailure, Driver, Given, Short } from './driver.ts';

/** The short form as the client takes it. */
function composed(message: Short | Activity): Composable | Activity {
  if ('@context' in message) return message;
  const { buttons = [], expires, ...rest } = message;
  const made = buttons.map((one) => (typeof one === 'string' ? one : button(one.name, { ...one })));
  return {
    ...rest,
    ...(made.length > 0 && { buttons: made }),
    ...(expires !== undefined && { expires: new Date(expires) }),
  };
}

const sendable = (given: Given['message']) =>
  'message' in given ? { ...given, message: composed(given.message) } : composed(given);

const activity = (given: Given['message']) =>
  activityOf(composed('message' in given ? given.message : given));

async function collect<Item>(items: AsyncIterable<Item>, count = Infinity): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) if (found.push(item) >= count) break;
  return found;
}

/** Runs the TypeScript client in this process. */
export function openTypeScript(): Driver {
  let client: Switchboard;
  const ops: Readonly<Record<string, (given: Given) => unknown>> = {
    open({ timeout = 30, ...settings }) {
      client = new Switchboard({ ...settings, timeout: timeout * 1000 });
    },
    send: ({ message, category, idempotency_key: key }) => {
      const given = sendable(message);
      const isShort = category !== undefined && !('@context' in given);
      return client.messages.send(isShort ? { ...given, category } : given, keyed(key));
    },
    send_all: ({ messages, idempotency_key: key }) =>
      client.messages.sendAll(messages.map(sendable), keyed(key)),
    dry_run: ({ message }) => client.messages.dryRun(sendable(message)),
    get: ({ id }) => client.messages.get(id),
    cancel: ({ id }) => client.messages.cancel(id),
    resend: ({ id }) => client.messages.resend(id),
    attempts: ({ id }) => client.messages.attempts(id),
    settled: ({ id }) => client.messages.settled(id),
    application: () => client.applications.me(),
    user: () => client.users.me(),
    integrate: ({ channel, token, username, mode }) =>
      client.integrations.create({
        name: channel,
        ...(mode && { mode }),
        ...(token !== undefined && { token }),
        ...(username !== undefined && { username }),
      }),
    sandbox: ({ id }) => client.sandbox.get(id),
    sandbox_messages: ({ id, person }) =>
      client.sandbox.messages(id, person === undefined ? {} : { with: person }).all(),
    sandbox_shown: ({ id, wanted }) => client.sandbox.shown(id, wanted),
    sandbox_reply: ({ id, text, person = '' }) => client.sandbox.reply(id, { text, from: person }),
    sandbox_press: ({ id, entry, button: pressing }) =>
      client.sandbox.press(id, { message: entry, button: pressing }),
    sandbox_react: ({ id, entry, emoji }) => client.sandbox.react(id, { message: entry, emoji }),
    sandbox_join: ({ id, person = '' }) => client.sandbox.join(id, { from: person }),
    sandbox_report: ({ id, entry, receipt }) =>
      client.sandbox.report(id, { message: entry, state: receipt }),
    sandbox_behave: ({ id, faults }) =>
      client.sandbox.behave(
        id,
        faults.map((fault) => ({ fault })),
      ),
    sandbox_reset: ({ id }) => client.sandbox.reset(id),
    channel: ({ name }) => client.channels.get(name),
    rename: ({ id, name }) => client.applications.update(id, { name }),
    set_consent: ({ family, address, consent_state: state }) =>
      client.consents.set({ family, address, state }),
    consent: ({ id }) => client.consents.get(id),
    consents: () => client.consents.list().all(),
    import_consents: ({ text }) => client.consents.importFile(text),
    export_consents: async () => (await client.consents.exportFile()).text(),
    import_contacts: ({ text }) => client.contacts.importFile(text),
    contact_import: ({ id }) => client.contacts.getImport(id),
    contact_import_errors: ({ id }) => client.contacts.importErrors(id).all(),
    contacts: () => client.contacts.list().all(),
    contact: ({ id }) => client.contacts.get(id),
    create_contact: ({ name, family: channel, address }) =>
      client.contacts.create({ name, addresses: [{ channel, address }] }),
    rename_contact: ({ id, name }) => client.contacts.update(id, { name }),
    delete_contact: ({ id }) => client.contacts.delete(id),
    add_address: ({ id, family: channel, address }) =>
      client.contacts.addAddress(id, { channel, address }),
    prefer_address: ({ id, address_id: addressId }) =>
      client.contacts.updateAddress(id, addressId, { preference: 1 }),
    remove_address: ({ id, address_id: addressId }) => client.contacts.removeAddress(id, addressId),
    merge_contacts: ({ id, other_id: otherId }) => client.contacts.merge(id, otherId),
    unmerge_contacts: ({ id, other_id: otherId }) => client.contacts.unmerge(id, otherId),
    contact_merges: ({ id }) => client.contacts.merges(id),
    export_contact: async ({ id }) => (await client.contacts.exportFile(id)).text(),
    erase_contact: ({ id }) => client.contacts.erase(id),
    erasure: ({ id }) => client.contacts.erasure(id),
    conversations: () => client.conversations.list().all(),
    conversation: ({ id }) => client.conversations.get(id),
    conversation_messages: ({ id }) => client.conversations.messages(id).all(),
    read_conversation: ({ id }) => client.conversations.read(id),
    pools: () => client.pools.list().all(),
    pool: ({ id }) => client.pools.get(id),
    create_pool: ({ name, members }) => client.pools.create({ name, members: membersOf(members) }),
    update_pool: ({ id, name, members }) =>
      client.pools.update(id, { name, members: membersOf(members) }),
    delete_pool: ({ id }) => client.pools.delete(id),
    schedule: ({ message, send_at: time }) => {
      const given = sendable(message);
      assert.ok(!('@context' in given) && !('message' in given));
      return client.messages.send({ ...given, sendAt: new Date(time) });
    },
    reschedule: ({ id, send_at: time }) => client.messages.change(id, { sendAt: new Date(time) }),
    templates: () => client.templates.list().all(),
    create_template: ({ name, contents }) =>
      client.templates.create({ name, default_language: 'en', contents }),
    template: ({ id, version }) => client.templates.get(id, version),
    update_template: ({ id, contents }) =>
      client.templates.update(id, { default_language: 'en', contents }),
    delete_template: ({ id }) => client.templates.delete(id),
    preview_template: ({ id, parameters, channels }) =>
      client.templates.preview(id, { parameters, channels }),
    policies: ({ id }) => client.applications.policies(id),
    set_policies: ({ id, policies }) => client.applications.setPolicies(id, policies),
    sign_in: ({ email, password }) => client.tokens.signIn({ email, password }),
    act_for: ({ id }) => void (client = client.actFor(id)),
    list: (filter) => client.messages.list(filter).all(),
    pages: async (filter) =>
      (await collect(client.messages.list(filter).pages())).map((page) => page.length),
    events: ({ count, ...options }) => collect(client.events(options), count),
    compose: ({ message }) => activity(message),
    reply: ({ event, text, privately = false }) => reply(event, text, { privately }),
    update: ({ message }) => update(activity(message)),
    remove: ({ object_id: id, to, via }) => remove(id, { to, ...(via !== undefined && { via }) }),
    pressed: ({ event }) => pressed(event),
    verify: ({ body, headers, secrets, now, tolerance = 300 }) =>
      verifyWebhook(body, headers, secrets, { now: now * 1000, tolerance }),
  };
  return {
    async ask(op, given) {
      try {
        const value: unknown = await ops[op]?.(given as Given);
        return { value: JSON.parse(JSON.stringify(value ?? null)) };
      } catch (error) {
        return { error: failureOf(error) };
      }
    },
    async [Symbol.asyncDispose]() {},
  };
}

const membersOf = (ids: readonly number[]) => ids.map((id) => ({ integration_id: id }));

const keyed = (key: string | undefined) => (key === undefined ? {} : { idempotencyKey: key });

function failureOf(error: unknown): CallFailure {
  if (error instanceof SwitchboardError) {
    const { code, status, detail, errors, requestId, retryAfter, accepted } = error;
    return {
      kind: 'call',
      code,
      status,
      detail,
      text: error.message,
      errors: [...errors],
      requestId: requestId ?? null,
      retryAfter: retryAfter ?? null,
      accepted: accepted.length,
    };
  }
  if (error instanceof WebhookVerificationError) return { kind: 'webhook', text: error.message };
  if (error instanceof TypeError) return { kind: 'usage', text: error.message };
  throw error;
}
