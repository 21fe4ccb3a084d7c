import assert from 'node:assert/strict';

import type { BrowserContextOptions } from 'playwright-core';

import { hashPassword } from '../../../src/lib/crypto/password.ts';
import type { Team, User } from '../../../src/model/account.ts';
import { noCounts } from '../../../src/model/statistics.ts';
import { integrate, message } from '../service/activity.ts';
import type { Client } from '../service/client.ts';
import type { TestService } from '../service/service.ts';
import { cookieFor } from '../service/session.ts';
import { until } from '../until.ts';
import { type PeopleIds, addPeople } from './console-people.ts';

/* Teams in the states that a page of the console can be in. */

export const STATES = ['empty', 'one', 'many', 'failing', 'long names', 'no rights'] as const;
export type ConsoleState = (typeof STATES)[number];

/** What a path of a console page may name, such as `$application`. */
export type Ids = PeopleIds &
  Record<'application' | 'message' | 'job' | 'integration' | 'event' | 'delivery', number>;

export interface FilledTeam {
  ids: Ids;
  /** Acts as the application. */
  app: Client;
  /** Signs the browser in. */
  storageState: NonNullable<BrowserContextOptions['storageState']>;
}

const SECRET = 'a-fake-identity-key-of-32-bytes-or-more';
/** The longest name, without a place to break it. */
export const LONG_NAME = 'abcdefghi'.repeat(23).slice(0, 200);
/** Nothing listens here. */
const CLOSED = 'http://127.0.0.1:9';

interface Filling {
  name: string;
  integrations: number;
  messages: number;
  applications: number;
  failing: boolean;
}

const FILLINGS: Record<Exclude<ConsoleState, 'no rights'>, Filling> = {
  empty: { name: 'nothing-yet', integrations: 0, messages: 0, applications: 1, failing: false },
  one: { name: 'order-updates', integrations: 1, messages: 1, applications: 1, failing: false },
  many: { name: 'newsletters', integrations: 25, messages: 150, applications: 30, failing: false },
  failing: { name: 'in-trouble', integrations: 1, messages: 3, applications: 2, failing: true },
  'long names': { name: LONG_NAME, integrations: 2, messages: 3, applications: 2, failing: true },
};

/** A team in this state. In the last one, the user is a member but not the owner. */
export async function fillTeam(sb: TestService, state: ConsoleState): Promise<FilledTeam> {
  const filling = FILLINGS[state === 'no rights' ? 'one' : state];
  const { team, owner, api } = await sb.otherTeam();
  await sb.store.users.update(owner.id, {
    name: filling.name === LONG_NAME ? LONG_NAME : 'Ada Lovelace',
    password: await hashPassword('a long example password'),
    updatedAt: Date.now(),
  });
  const ids = await fill(sb, { team, owner, api }, filling);
  const user = state === 'no rights' ? await addMember(sb, api) : owner;
  if (state !== 'empty') await api.post('/1/invitations', { email: 'grace@example.com' });
  const app = sb.as(await sb.applicationToken(ids.application, team.id));
  return { ids, app, storageState: await stateOf(sb, user) };
}

interface Owned {
  team: Team;
  owner: User;
  api: Client;
}

async function addMember(sb: TestService, api: Client): Promise<User> {
  const { body } = await api.post('/1/users', {
    email: `member-${Math.random()}@example.com`,
    name: 'Charles Babbage',
    state: 'enable',
    password: 'a long example password',
  });
  const user = await sb.store.users.get(Number(body.id));
  if (!user) throw new Error('the member does not exist');
  return user;
}

/** The cookie of a session, and the mark that there is one. */
async function stateOf(sb: TestService, user: User): Promise<FilledTeam['storageState']> {
  const { cookie } = await cookieFor(sb, user);
  const [name = '', value = ''] = cookie.split('=', 2);
  const rest = { httpOnly: true, secure: false, sameSite: 'Strict', expires: -1 } as const;
  return {
    cookies: [{ name, value, domain: new URL(sb.url).hostname, path: '/console', ...rest }],
    origins: [{ origin: sb.url, localStorage: [{ name: 'switchboard.signed-in', value: 'yes' }] }],
  };
}

async function fill(sb: TestService, owned: Owned, filling: Filling): Promise<Ids> {
  const { api, team, owner } = owned;
  const fields = { team_id: team.id, owner_id: owner.id, state: 'enable' };
  let application = 0;
  for (let i = 1; i <= filling.applications; i++) {
    const name = filling.name.slice(0, i < filling.applications ? 190 : 200);
    const { body } = await api.post('/1/applications', { ...fields, name });
    application = Number(body.id);
  }
  const people = { conversation: 1, contact: 1, template: 1, phone: 1 };
  const ids = { application, message: 1, job: 1, integration: 1, event: 1, delivery: 1, ...people };
  if (filling.messages === 0) return ids;
  const app = sb.as(await sb.applicationToken(application, team.id));
  const label = filling.name === LONG_NAME ? LONG_NAME.slice(0, 100) : 'Support chat';
  for (let i = 0; i < filling.integrations; i++) {
    const chat = { name: 'webmessenger', secret: SECRET, token: undefined };
    ids.integration = (await integrate(app, application, { ...chat, label })).id;
  }
  const lost = filling.failing ? await addFailing(sb, owned, app, application, label) : undefined;
  ids.message = await send(app, ids.integration, filling, lost);
  ids.job = await resend(app);
  await addEvents(sb, application, filling.messages, label);
  ids.event = 1;
  if (filling.failing) ids.delivery = await deliveryOf(api, application);
  await api.post('/1/keys/applications', { resource_id: application, state: 'enable', label });
  const address = label.replaceAll(' ', '-');
  const stop = { family: 'webmessenger', address, state: 'revoked', evidence: label };
  const { status, text } = await app.post('/1/consents', stop);
  assert.equal(status, 201, text);
  await addHistory(sb, application, ids.integration);
  const { integration, ...rest } = ids;
  const contacts = filling.messages > 100 ? 60 : 1;
  const name = filling.name === LONG_NAME ? LONG_NAME : 'Grace Hopper';
  return {
    ...rest,
    integration,
    ...(await addPeople(app, { application, integration, name, contacts })),
  };
}

/** An integration that refuses its credentials, one that answers nothing, and a webhook that does not either. */
async function addFailing(
  sb: TestService,
  { api }: Owned,
  app: Client,
  application: number,
  label: string,
) {
  const gotify = { name: 'gotify', address: CLOSED, token: 'fake-token', label };
  const refused = await integrate(app, application, gotify);
  await sb.store.engine.db
    .updateTable('ownerships')
    .set({ pausedReason: 'credentials', failingSince: Date.now() })
    .where('integrationId', '=', refused.id)
    .execute();
  const { id } = await integrate(app, application, { name: 'webmessenger', token: undefined });
  const webhook_url = `${CLOSED}/${label.replaceAll(' ', '-')}`;
  await api.put(`/1/applications/${application}`, { webhook_url });
  return id;
}

async function send(app: Client, via: number, { messages, name }: Filling, lost?: number) {
  const one = (integration: number, i: number) =>
    message({
      generator: { type: 'Service', id: String(integration) },
      to: { type: 'Person', id: name === LONG_NAME ? LONG_NAME.slice(0, 128) : `visitor-${i}` },
      object: { type: 'Note', content: name === LONG_NAME ? LONG_NAME : `Order ${i} has shipped.` },
    }).message;
  const all = Array.from({ length: messages }, (_, i) => one(via, i));
  if (lost !== undefined) all.push(one(lost, messages));
  const { body, text } = await app.post('/1/messages', { messages: all });
  assert.ok(body.data, text);
  const last = Number(body.data.at(-1).id);
  await until('the last message is settled', async () => {
    const { body: found } = await app.get(`/1/messages/${last}`);
    return found.state !== 'queued' && found.state !== 'sending';
  });
  return last;
}

async function resend(app: Client): Promise<number> {
  const { body } = await app.post('/1/messages/resend', { filter: { state: 'canceled' } });
  return Number(body.id);
}

async function addEvents(sb: TestService, application: number, count: number, name: string) {
  await sb.store.events.append(
    Array.from({ length: count }, () => ({
      applicationId: application,
      type: 'message.sent' as const,
      data: JSON.stringify({ id: 1, name }),
      media: null,
      createdAt: Date.now(),
    })),
  );
}

const deliveryOf = (api: Client, application: number) =>
  until('a delivery', async () => {
    const { body } = await api.get(`/1/applications/${application}/webhook/deliveries`);
    return Number(body.data[0]?.id) || undefined;
  });

/** Counts of the day before, for the charts. */
async function addHistory(sb: TestService, applicationId: number, integrationId: number) {
  const hour = 3_600_000;
  await sb.store.statistics.add(
    [1, 2, 3, 5, 26, 27].map((hours) => {
      const at = Date.now() - hours * hour;
      const counts = {
        accepted: 90 * hours,
        sent: 88 * hours,
        latency3: 88 * hours,
        failed: hours,
      };
      const row = {
        applicationId,
        integrationId,
        channel: 'webmessenger',
        sandbox: 0 as const,
        lastSentAt: at,
      };
      return Object.assign(noCounts(), row, counts, {
        step: 'hour' as const,
        at: at - (at % hour),
      });
    }),
  );
}
