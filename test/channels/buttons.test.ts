import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CHANNELS } from '../../src/channels/index.ts';
import type { HttpPeer } from '../emulators/server/http.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { type ShownEvent, eventsOf } from '../support/service/feed.ts';
import { type TestService, startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';
import { BUTTON_REQUESTS, type ButtonRequest } from './button-requests.ts';

/*
 * Sends a button through the API, presses it as the vendor's emulator received it, and expects the value back
 * through the webhook. The API refuses a value that the vendor cannot return.
 */

const PUBLIC_URL = 'https://switchboard.example';
/** Contains every kind of character with a special meaning somewhere. */
const VALUE = 'order=7&ok:"ja",✓ <1>';

for (const engine of ENGINES) {
  describe(`button values (${engine})`, { concurrency: 8 }, () => {
    let service: TestService;
    let app: Client;
    let peers: Map<string, HttpPeer>;
    let ids: Map<string, number>;
    // The stores make no difference between channels.
    const requests = engine === 'sqlite' ? BUTTON_REQUESTS : BUTTON_REQUESTS.slice(0, 1);

    before(async () => {
      peers = new Map();
      for (const { channel, open } of requests) peers.set(channel, await open());
      const urls = [...peers].map(([channel, { url }]) => [
        `SWITCHBOARD_${channel.toUpperCase().replaceAll('-', '_')}_URL`,
        url,
      ]);
      service = await startTestService(engine, {
        environment: {
          SWITCHBOARD_ROLE: 'all',
          SWITCHBOARD_PUBLIC_URL: PUBLIC_URL,
          ...Object.fromEntries(urls),
        },
      });
      const made = await service.application();
      app = made.app;
      ids = new Map();
      for (const { channel, credentials } of requests) {
        const fields = { name: channel, token: undefined, ...credentials };
        ids.set(channel, (await integrate(app, made.application.id, fields)).id);
      }
    });

    after(async () => {
      await service[Symbol.asyncDispose]();
      for (const peer of peers.values()) await peer.close();
    });

    const offered = ({ channel, to }: ButtonRequest, buttons: readonly object[]) =>
      message({
        generator: { type: 'Service', id: ids.get(channel) },
        to: { type: 'Person', id: to },
        object: {
          type: 'Note',
          content: 'Well?',
          attachment: buttons.map((each) => ({ type: 'Button', ...each })),
        },
      });

    /** The value received for the named button. */
    async function pressButton(
      buttonRequest: ButtonRequest,
      buttons: readonly object[],
      name: string,
    ) {
      const { channel, credentials, call, prove } = buttonRequest;
      const peer = peers.get(channel);
      const earlier = peer?.seen.length ?? 0;
      const { body: sent } = await app.post('/1/message', offered(buttonRequest, buttons));
      await until(`the ${channel} message is sent`, async () => {
        const { state } = (await app.get(`/1/messages/${sent.id}`)).body;
        return state === 'sent';
      });
      const seen = peer?.seen.slice(earlier).findLast(({ text }) => text.includes('Well?'));
      assert.ok(seen, `${channel} received no request`);
      const received = (await receivedFrom(app, channel)).length;
      const { body: hook } = await app.get(`/1/integrations/${ids.get(channel)}/hook`);
      const proven = await prove(
        {
          method: 'POST',
          path: '',
          query: {},
          headers: {},
          body: Buffer.alloc(0),
          ...call(seen.json, name),
        },
        credentials,
        Date.now(),
      );
      const query = new URLSearchParams(proven.query).toString();
      const url = `${hook.url.replace(PUBLIC_URL, service.url)}${query && `?${query}`}`;
      const { method, headers, body } = proven;
      const answer = await fetch(url, { method, headers, body });
      assert.equal(answer.status, 200, await answer.text());
      await eventsOf(app, 'message.received');
      const [event, ...others] = (await receivedFrom(app, channel)).slice(received);
      assert.deepEqual(others, []);
      assert.ok(event, `no button press arrived from ${channel}`);
      return event.data.object;
    }

    for (const buttonRequest of requests) {
      const { channel } = buttonRequest;

      it(`${channel} returns the value of a pressed button`, async () => {
        const buttons = [{ name: 'No' }, { name: 'Oh yes', value: VALUE }];
        const yes = await pressButton(buttonRequest, buttons, 'Oh yes');
        assert.deepEqual(yes.attachment, [{ type: 'Button', name: 'Oh yes', value: VALUE }]);
        assert.equal(yes.content, 'Oh yes');
        assert.ok(yes.id);
        const no = await pressButton(buttonRequest, buttons, 'No');
        assert.deepEqual(no.attachment, [{ type: 'Button', name: 'No', value: 'No' }]);
        assert.ok(no.id && no.id !== yes.id);
        const buy = await pressButton(buttonRequest, [{ name: 'Buy', url: 'value_1' }], 'Buy');
        assert.deepEqual(buy.attachment, [{ type: 'Button', name: 'Buy', value: 'value_1' }]);

        const limit = limitOf(channel);
        if (!limit) return;
        const long = (length: number) => [{ name: 'Yes', value: 'x'.repeat(length) }];
        const wrapping = limit.write?.({ name: 'Yes', value: 'x' }).length ?? 1;
        const longest = limit.max - wrapping + 1;
        const back = await pressButton(buttonRequest, long(longest), 'Yes');
        assert.equal(back.attachment[0].value.length, longest);
        // Where the channel allows as much as the API, the API enforces the limit.
        const code = longest < 2000 ? 'button_value_too_long' : 'invalid_fields';
        const { status, body } = await app.post(
          '/1/message',
          offered(buttonRequest, long(longest + 1)),
        );
        assert.deepEqual(
          [status, body.code, body.errors?.[0]?.pointer],
          [422, code, '/message/object/attachment/0/value'],
        );
      });
    }

    it('every channel with button values has a test', () => {
      const known = CHANNELS.filter(({ renderers }) => typeof renderers === 'object')
        .filter(
          ({ renderers }) =>
            typeof renderers === 'object' && renderers.buttons?.kinds.includes('reply'),
        )
        .map(({ name }) => name);
      // The web chat has no vendor; test/chat/protocol.test.ts covers it.
      const tried = [...BUTTON_REQUESTS.map(({ channel }) => channel), 'webmessenger'];
      assert.deepEqual(tried.toSorted(), known.toSorted());
    });
  });
}

function limitOf(channel: string) {
  const renderers = CHANNELS.find(({ name }) => name === channel)?.renderers;
  return typeof renderers === 'object' ? renderers.buttons?.payload : undefined;
}

async function receivedFrom(app: Client, channel: string): Promise<ShownEvent[]> {
  const { body } = await app.get('/1/events?limit=1000');
  const all = body.data as ShownEvent[];
  return all.filter(
    ({ type, data }) => type === 'message.received' && data.generator.name === channel,
  );
}
