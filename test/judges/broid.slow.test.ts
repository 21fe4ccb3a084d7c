import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before, describe, it } from 'node:test';

import { WebSocket } from 'ws';

import { TOKEN, openTelegram } from '../emulators/telegram.ts';
import { openJudge } from '../support/judges.ts';
import { openDelivery } from '../support/service/delivery.ts';
import { until } from '../support/until.ts';

/* What the interface's original client takes: frames of the socket, judged by its own schemas. */

type Judge = (value: unknown, schema: 'activity' | 'send') => Promise<boolean>;

interface Frame {
  '@context'?: string;
  type: string;
  generator: object;
  actor: { id: string; name?: string };
  target: { type: string };
  object: { type: string; id: string; content: string };
}

const SECRET = 'fake-secret_of-a-webhook';
const ADA = { id: 123_456_789, is_bot: false, first_name: 'Ada' };
const chat = { id: ADA.id, type: 'private' };
const date = 1_794_700_800;
const message = { message_id: 7, date, from: ADA, chat, text: 'Hello' };
const keyboard = [[{ text: 'Yes', callback_data: 'yes' }]];
const group = { id: -100, type: 'supergroup', title: 'All' };

const UPDATES = {
  joined: {
    message: { message_id: 6, date, from: ADA, chat: group, new_chat_members: [ADA] },
  },
  message: { message },
  inGroup: { message: { ...message, message_id: 8, chat: group, message_thread_id: 42 } },
  edited: { edited_message: { ...message, text: 'Hullo' } },
  place: {
    message: {
      message_id: 9,
      date,
      from: ADA,
      chat,
      location: { latitude: 48.2, longitude: 16.4 },
    },
  },
  pressed: {
    callback_query: {
      id: '1',
      from: ADA,
      data: 'yes',
      message: { ...message, reply_markup: { inline_keyboard: keyboard } },
    },
  },
};

async function open() {
  const sb = await openDelivery('sqlite', {
    channel: 'telegram',
    open: openTelegram,
    credentials: { token: TOKEN, secret: SECRET },
  });
  const { body: hook } = await sb.app.get(`/1/integrations/${sb.integrationId}/hook`);
  const { body: realtime } = await sb.app.get('/1/realtime');
  const socket = new WebSocket(realtime.url);
  const frames: Frame[] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as Frame));
  await once(socket, 'open');
  let number = 0;
  const arrive = async (update: object) => {
    const response = await fetch(hook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': SECRET },
      body: JSON.stringify({ update_id: ++number, ...update }),
    });
    assert.equal(response.status, 200);
  };
  return {
    ...sb,
    frames,
    arrive,
    async [Symbol.asyncDispose]() {
      socket.terminate();
      await sb[Symbol.asyncDispose]();
    },
  };
}

const { skip, load } = await openJudge('broid');

describe('the original client', { skip }, () => {
  let judge: Judge;

  before(() => {
    judge = (load('@broid/schemas') as { default: Judge }).default;
  });

  it('takes every bare frame as a message', async () => {
    await using sb = await open();
    for (const update of Object.values(UPDATES)) await sb.arrive(update);
    await until('the frames', () => sb.frames.length >= Object.keys(UPDATES).length);
    const bare = sb.frames.filter((frame) => '@context' in frame);
    assert.deepEqual(
      bare.map(({ type, object }) => [type, object.type]),
      [
        ['Create', 'Note'],
        ['Create', 'Note'],
        ['Update', 'Note'],
        ['Create', 'Place'],
        ['Create', 'Note'],
      ],
    );
    for (const frame of bare) await judge(frame, 'activity');
    const [first, inGroup] = bare;
    assert.equal(first?.target.type, 'Application');
    assert.equal(inGroup?.target.type, 'Group');
    const [joined, ...others] = sb.frames.filter((frame) => !('@context' in frame));
    assert.deepEqual([joined?.type, others.length], ['member.joined', 0]);
  });

  it('echoes the first frame with a context, and greets by the name of its actor', async () => {
    await using sb = await open();
    await sb.arrive(UPDATES.joined);
    await sb.arrive(UPDATES.pressed);
    await until('the frames', () => sb.frames.length >= 2);
    const frame = sb.frames.find((each) => '@context' in each);
    assert.ok(frame);
    const { generator, actor, object } = frame;
    const answer = {
      '@context': frame['@context'],
      type: 'Create',
      generator,
      to: { type: 'Person', id: actor.id },
      object: { type: 'Note', content: `${object.content}, ${actor.name}`, inReplyTo: object.id },
    };
    await judge(answer, 'send');
    const { status, body } = await sb.app.post('/1/message', { message: answer });
    assert.equal(status, 202);
    assert.equal((await sb.settled(body.id)).state, 'sent');
    const sent = sb.peer.seen.at(-1)?.json as Record<string, unknown>;
    assert.deepEqual([sent['chat_id'], sent['text']], [String(ADA.id), 'Yes, Ada']);
    assert.ok(!('reply_parameters' in sent), 'a press is no message to reply to');
  });
});
