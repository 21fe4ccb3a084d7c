import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type IrcServer, NGIRCD, type Visitor, startNgircd } from '../emulators/real/ngircd.ts';
import { integrate } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import {
  type TestService,
  type TestServiceOptions,
  startTestService,
} from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/* The service receives messages over a persistent session, here an IRC connection. */

interface FeedEvent {
  type: string;
  data: {
    actor: { id: string };
    target: { id: string };
    object: { content?: string; attributedTo?: { id: string } };
  };
}

const PASSWORD = 'not-a-secret-of-ngircd';

const environment = { SWITCHBOARD_ROLE: 'all', SWITCHBOARD_ALLOW_NETWORKS: '127.0.0.0/8' };
const start = (engine: (typeof ENGINES)[number], options: TestServiceOptions = {}) =>
  startTestService(engine, { environment, ...options });

async function setUp(service: TestService, server: IrcServer) {
  const { application, app } = await service.application();
  const fields = {
    name: 'irc',
    address: server.address,
    username: 'switch',
    token: PASSWORD,
    consumer_key: '#den',
  };
  const integration = await integrate(app, application.id, fields);
  return { app, integration, fields };
}

/** The feed, once it has `count` events. */
async function feed(app: Client, count: number): Promise<FeedEvent[]> {
  return until(`${count} events`, async () => {
    const { body } = await app.get('/1/events');
    return body.data.length >= count && body.data;
  });
}

const textsOf = (events: readonly FeedEvent[]) => events.map(({ data }) => data.object.content);

async function comes(visitor: Visitor, nick: string, times = 1): Promise<void> {
  await visitor.waitFor(new RegExp(`^:${nick}!\\S+ JOIN :?#den`), times);
}

const leaves = (visitor: Visitor, nick: string) =>
  visitor.waitFor(new RegExp(`^:${nick}!\\S+ QUIT`));

describe('a listening integration', { skip: NGIRCD.skip }, () => {
  it('a listening integration is checked over its session without a second registration', async () => {
    await using server = await startNgircd({ password: PASSWORD });
    const bob = await server.visitor('bob');
    await bob.join('#den');
    await using service = await start('sqlite');
    const { app, integration } = await setUp(service, server);
    await comes(bob, 'switch');
    const { body } = await app.post(`/1/integrations/${integration.id}/check`);
    assert.deepEqual([body.status, body.detail.split(' ').at(-1)], ['ok', 'switch']);
    bob.say('PRIVMSG #den :still there?');
    await feed(app, 1);
  });

  it('a listening integration names the author in a shared room, and in private only as the actor', async () => {
    await using server = await startNgircd({ password: PASSWORD });
    const bob = await server.visitor('bob');
    await bob.join('#den');
    await using service = await start('sqlite');
    const { app } = await setUp(service, server);
    await comes(bob, 'switch');
    bob.say('PRIVMSG #den :to all');
    bob.say('PRIVMSG switch :to you');
    const events = await feed(app, 2);
    assert.deepEqual(
      events.map(({ data }) => [data.object.content, data.object.attributedTo?.id]),
      [
        ['to all', 'bob'],
        ['to you', undefined],
      ],
    );
  });

  for (const engine of ENGINES) {
    it(`delivers received messages to the application and disconnects with the service (${engine})`, async () => {
      await using server = await startNgircd({ password: PASSWORD });
      const bob = await server.visitor('bob');
      await bob.join('#den');
      const service = await start(engine);
      try {
        const { app, integration } = await setUp(service, server);
        await comes(bob, 'switch');
        bob.say('PRIVMSG switch :Good morning', 'PRIVMSG #den :To all');
        const events = await feed(app, 2);
        assert.partialDeepStrictEqual(events, [
          {
            type: 'message.received',
            data: {
              type: 'Create',
              actor: { type: 'Person', id: 'bob' },
              target: { type: 'Application', id: String(integration.id) },
              object: { type: 'Note', content: 'Good morning' },
            },
          },
          {
            type: 'message.received',
            data: {
              actor: { type: 'Person', id: '#den' },
              target: { type: 'Group', id: '#den' },
              object: { type: 'Note', content: 'To all', attributedTo: { id: 'bob' } },
            },
          },
        ]);
      } finally {
        await service[Symbol.asyncDispose]();
      }
      await leaves(bob, 'switch');
    });
  }

  it('reconnects when its credentials change', async () => {
    await using server = await startNgircd({ password: PASSWORD });
    const bob = await server.visitor('bob');
    await bob.join('#den');
    await using service = await start('sqlite');
    const { app, integration, fields } = await setUp(service, server);
    await comes(bob, 'switch');
    await app.put(`/1/integrations/${integration.id}`, {
      ...fields,
      state: 'enable',
      username: 'other',
    });
    await leaves(bob, 'switch');
    await comes(bob, 'other');
    bob.say('PRIVMSG other :Who are you?');
    assert.deepEqual(textsOf(await feed(app, 1)), ['Who are you?']);
  });

  it('disconnects while it is disabled', async () => {
    await using server = await startNgircd({ password: PASSWORD });
    const bob = await server.visitor('bob');
    await bob.join('#den');
    await using service = await start('sqlite');
    const { app, integration, fields } = await setUp(service, server);
    await comes(bob, 'switch');
    await app.delete(`/1/integrations/${integration.id}/disable`);
    await leaves(bob, 'switch');
    await app.put(`/1/integrations/${integration.id}`, { ...fields, state: 'enable' });
    await comes(bob, 'switch', 2);
  });

  it('reconnects after the server was down', async () => {
    await using server = await startNgircd({ password: PASSWORD });
    const first = await server.visitor('bob');
    await first.join('#den');
    await using service = await start('sqlite');
    const { app } = await setUp(service, server);
    await comes(first, 'switch');
    await server.restart();
    const second = await server.visitor('bob');
    await second.join('#den');
    await until('the client has joined', () => second.lines.some((line) => /switch/.test(line)));
    second.say('PRIVMSG #den :Two');
    assert.deepEqual(textsOf(await feed(app, 1)), ['Two']);
  });

  it('runs on one of two services with one database and moves to the other', async () => {
    await using server = await startNgircd({ password: PASSWORD });
    const bob = await server.visitor('bob');
    await bob.join('#den');
    const first = await start('postgres');
    try {
      await using second = await start('postgres', { database: first.database });
      const { app } = await setUp(first, server);
      await comes(bob, 'switch');
      bob.say('PRIVMSG #den :One');
      const elsewhere = second.as(app.token);
      assert.deepEqual(textsOf(await feed(elsewhere, 1)), ['One']);
      await first.service.stop();
      await leaves(bob, 'switch');
      await comes(bob, 'switch', 2);
      bob.say('PRIVMSG #den :Two');
      assert.deepEqual(textsOf(await feed(elsewhere, 2)), ['One', 'Two']);
      // A second listener would have another nick, since this one is in use.
      assert.ok(!bob.lines.some((line) => line.startsWith(':switch_')));
    } finally {
      await first[Symbol.asyncDispose]();
    }
  });
});
