import assert from 'node:assert/strict';

import type { Client } from '../../support/service/client.ts';
import { type ShownEvent, feedOf } from '../../support/service/feed.ts';

interface Message {
  id: number;
  to: string;
  created_at: string;
}

interface Conversation {
  id: number;
  integration_id: number;
  to: string;
  unread: number;
  last: { direction: 'in' | 'out'; at: string } | null;
}

/** The states of a message that its conversation shows. */
const SETTLED = new Set([
  'message.sent',
  'message.failed',
  'message.uncertain',
  'message.suppressed',
]);
const MAX_PAGES = 100;

/** Conversations are exactly what the list of messages and the feed of events say. */
export async function checkConversations(
  app: Client,
  { integrationId, read }: { integrationId: number; read: ReadonlyMap<string, number> },
): Promise<void> {
  const events = await feedOf(app);
  const messages: Message[] = (await app.get('/1/messages?limit=1000')).body.data;
  const received = events.filter(({ type }) => type === 'message.received');
  const settled = events.filter(({ type }) => SETTLED.has(type));
  const recipients = new Set([
    ...received.map(({ data }) => String(data.actor.id)),
    ...settled.map(({ data }) => String(data.to)),
  ]);
  const shown: Conversation[] = [];
  const query = new URLSearchParams({ limit: '2' });
  for (let page = 0; page < MAX_PAGES; page++) {
    const { body } = await app.get(`/1/conversations?${query.toString()}`);
    const data: Conversation[] = body.data;
    shown.push(...data);
    const last = data.at(-1);
    if (!last || data.length < 2) break;
    query.set('starting_after', String(last.id));
  }
  assert.deepEqual(shown.map(({ to }) => to).toSorted(), [...recipients].toSorted());
  const times = shown.map(({ to }) => lastOf([...received, ...settled], to));
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
    'newest first',
  );
  for (const conversation of shown) {
    const { to, unread, last } = conversation;
    assert.equal(conversation.integration_id, integrationId);
    const own = received.filter(({ data }) => data.actor.id === to);
    const sent = messages.filter((message) => message.to === to);
    assert.equal(unread, own.length - (read.get(to) ?? 0), `unread of ${to}`);
    const ins = own.map(({ id, timestamp }) => ({ id: `event:${id}`, at: Date.parse(timestamp) }));
    const outs = sent.map(({ id, created_at: at }) => ({
      id: `message:${id}`,
      at: Date.parse(`${at}Z`),
    }));
    const timeline = await timelineOf(app, conversation.id);
    assert.deepEqual(timeline.toSorted(), [...ins, ...outs].map(({ id }) => id).toSorted());
    const settledIds = settled.filter(({ data }) => data.to === to).map(({ data }) => data.id);
    const out = sent.find(({ id }) => id === Math.max(0, ...settledIds))?.created_at ?? '';
    // In the precision of the list of messages.
    const seconds = out === '' ? 19 : out.length;
    const newestIn = own.at(-1)?.timestamp.slice(0, seconds) ?? '';
    const newest = newestIn > out ? newestIn : out;
    const directions = [...(newestIn === newest ? ['in'] : []), ...(out === newest ? ['out'] : [])];
    assert.ok(last && directions.includes(last.direction), `direction of ${to}`);
    assert.equal(last.at, newest, `time of ${to}`);
  }
}

const lastOf = (events: readonly ShownEvent[], to: string): number =>
  Math.max(
    ...events
      .filter(({ data }) => data.to === to || data.actor?.id === to)
      .map(({ timestamp }) => Date.parse(timestamp)),
  );

/** The ids of all entries, by pages. */
async function timelineOf(app: Client, id: number): Promise<string[]> {
  const ids: string[] = [];
  for (let path = `/1/conversations/${id}/messages?limit=2`; path !== '';) {
    const { body, headers } = await app.get(path);
    ids.push(...body.data.map((entry: { id: string }) => entry.id));
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
    path = next === '' ? '' : next.slice(new URL(next).origin.length);
  }
  return ids;
}
