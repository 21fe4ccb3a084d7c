import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openSlack, TOKEN as SLACK_TOKEN } from '../emulators/slack/api.ts';
import { CHATS, TOKEN, openTelegram, telegramError } from '../emulators/telegram.ts';
import { openWebhook } from '../emulators/webhook.ts';
import { message } from '../support/service/activity.ts';
import { type DeliveryService, openDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

for (const engine of ENGINES) {
  describe(`editing and deleting sent messages (${engine})`, () => {
    const open = () =>
      openDelivery(engine, {
        channel: 'telegram',
        open: openTelegram,
        credentials: { token: TOKEN },
      });

    const note = (content: string, more: object = {}) => ({
      object: { type: 'Note', id: 'order-7', content, ...more },
    });

    const post = (sb: DeliveryService, change: object, path = '/1/message') =>
      sb.app.post(path, message({ to: { type: 'Person', id: CHATS.person }, ...change }));

    const methods = (sb: DeliveryService) =>
      sb.peer.seen.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));

    it('edits a message by the id of its object', async () => {
      await using sb = await open();
      await sb.settled((await post(sb, note('On its way'))).body.id);
      const { status, body } = await post(sb, { type: 'Update', ...note('Delivered') });
      assert.equal(status, 202);
      const changed = await sb.settled(body.id);
      assert.equal(changed.state, 'sent');
      assert.deepEqual(changed.channel_ids, [`${CHATS.person}:101`]);
      assert.deepEqual(methods(sb), ['sendMessage', 'editMessageText']);
      assert.partialDeepStrictEqual(sb.peer.seen[1]?.json, { message_id: 101, text: 'Delivered' });
    });

    it('deletes a message with all parts that an edit added', async () => {
      await using sb = await open();
      await sb.settled((await post(sb, note('Short'))).body.id);
      const long = `${'x'.repeat(4096)} ${'y'.repeat(10)}`;
      const update = await sb.settled((await post(sb, { type: 'Update', ...note(long) })).body.id);
      assert.deepEqual(update.channel_ids, [`${CHATS.person}:101`, `${CHATS.person}:102`]);
      const removal = await post(sb, {
        type: 'Delete',
        object: { type: 'Tombstone', id: 'order-7' },
      });
      assert.equal((await sb.settled(removal.body.id)).state, 'sent');
      assert.deepEqual(methods(sb), [
        'sendMessage',
        'editMessageText',
        'sendMessage',
        'deleteMessage',
        'deleteMessage',
      ]);
    });

    it('finds a message by the longest id', async () => {
      await using sb = await open();
      const long = { id: '😀'.repeat(512) };
      await sb.settled((await post(sb, note('One', long))).body.id);
      const { body } = await post(sb, { type: 'Update', ...note('Two', long) });
      assert.equal((await sb.settled(body.id)).state, 'sent');
      assert.deepEqual(methods(sb), ['sendMessage', 'editMessageText']);
    });

    const named = (id: string, content: string, more: object = {}) => ({
      object: { type: 'Note', id, content, ...more },
    });

    it('does not delete a reply that was never sent', async () => {
      await using sb = await open();
      await sb.settled((await post(sb, named('question', 'Well?'))).body.id);
      sb.peer.next(telegramError(400, 'Bad Request: message is too long'));
      const batch = [
        named('answer', 'No', { inReplyTo: 'question' }),
        { type: 'Delete', ...named('answer', '') },
      ].map((change) => message({ to: { type: 'Person', id: CHATS.person }, ...change }).message);
      const { data } = (await sb.app.post('/1/messages', { messages: batch })).body;
      const removal = await sb.settled(data[1].id);
      assert.deepEqual([removal.state, removal.error?.code], ['failed', 'unsupported']);
      assert.deepEqual(methods(sb), ['sendMessage', 'sendMessage']);
    });

    it('edits a message after an earlier edit was refused', async () => {
      await using sb = await open();
      await sb.settled((await post(sb, note('One'))).body.id);
      sb.peer.next(telegramError(400, 'Bad Request: message is too long'));
      const refused = (await post(sb, { type: 'Update', ...note('Two') })).body.id;
      assert.equal((await sb.settled(refused)).state, 'failed');
      for (const change of [
        { type: 'Update', ...note('Three') },
        { type: 'Delete', ...note('') },
      ]) {
        const { status, body } = await post(sb, change);
        assert.equal(status, 202);
        assert.equal((await sb.settled(body.id)).state, 'sent');
      }
      const again = await post(sb, { type: 'Delete', ...note('') });
      assert.equal((await sb.settled(again.body.id)).error?.code, 'unsupported');
    });

    it('edits a message in the request that sends it', async () => {
      await using sb = await open();
      const long = `${'x'.repeat(4096)} ${'y'.repeat(10)}`;
      const changes = [
        note('Short'),
        { type: 'Update', ...note(long) },
        { type: 'Delete', ...note('') },
      ];
      const to = { type: 'Person', id: CHATS.person };
      const messages = changes.map((change) => message({ to, ...change }).message);
      const { data } = (await sb.app.post('/1/messages', { messages })).body;
      for (const { id } of data) assert.equal((await sb.settled(id)).state, 'sent');
      assert.deepEqual(methods(sb).slice(-3), ['sendMessage', 'deleteMessage', 'deleteMessage']);
    });

    it('edits a queued message once it is sent, in order', async () => {
      await using sb = await open();
      const first = await post(sb, note('One'));
      const second = await post(sb, { type: 'Update', ...note('Two') });
      assert.equal((await sb.settled(second.body.id)).state, 'sent');
      assert.equal((await sb.settled(first.body.id)).state, 'sent');
      assert.deepEqual(methods(sb), ['sendMessage', 'editMessageText']);
    });

    it("replies to our message by its object and to a vendor's message by its id", async () => {
      await using sb = await open();
      await sb.settled((await post(sb, note('Question'))).body.id);
      for (const inReplyTo of ['order-7', { id: '55' }]) {
        const object = { type: 'Note', content: 'Answer', inReplyTo };
        await sb.settled((await post(sb, { object })).body.id);
      }
      assert.deepEqual(
        sb.peer.seen
          .slice(1)
          .map(({ json }) => (json as { reply_parameters: unknown }).reply_parameters),
        [
          { message_id: 101, allow_sending_without_reply: true },
          { message_id: 55, allow_sending_without_reply: true },
        ],
      );
    });

    it('refuses to edit an unsent message and stores nothing', async () => {
      await using sb = await open();
      const unknown = await post(sb, { type: 'Update', ...note('x') });
      assert.equal(unknown.body.code, 'unknown_object');
      assert.equal(unknown.body.errors[0].pointer, '/message/object/id');
      const failed = await sb.send('x', CHATS.blocked, note('x'));
      await sb.settled(failed);
      const to = { type: 'Person', id: CHATS.blocked };
      const { body } = await post(sb, { type: 'Delete', to, ...note('x') });
      assert.equal(body.code, 'unknown_object');
      assert.match(body.detail, /failed/);
      const nameless = await post(sb, { type: 'Delete', object: { type: 'Tombstone' } });
      assert.equal(nameless.body.errors[0].pointer, '/message/object/id');
      assert.equal((await sb.app.get('/1/messages')).body.data.length, 1);
    });

    it('a dry run shows the edit, sends nothing and stores nothing', async () => {
      await using sb = await open();
      const object = {
        type: 'Note',
        name: 'Title',
        content: '**Now** <b>',
        mediaType: 'text/markdown',
        attachment: [{ type: 'Button', name: 'Yes' }],
      };
      const { status, body } = await post(sb, { object }, '/1/message?dry_run=true');
      assert.equal(status, 200);
      assert.deepEqual([body.channel, body.to, body.ready], ['telegram', CHATS.person, true]);
      assert.deepEqual(body.parts, [
        {
          does: 'send',
          id: null,
          call: 'sendMessage',
          content: {
            chat_id: CHATS.person,
            text: '<b>Now</b>',
            parse_mode: 'HTML',
            reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'Yes' }]] },
          },
          file: null,
          enclosed: [],
          received: [],
          segments: null,
        },
      ]);
      assert.partialDeepStrictEqual(body.degraded, [{ what: 'title', became: 'left out' }]);
      assert.equal(body.degraded.length, 1);
      assert.deepEqual(sb.peer.seen, []);
      assert.deepEqual((await sb.app.get('/1/messages')).body.data, []);
    });

    it('a dry run lists text that the product may format', async () => {
      await using sb = await open();
      const object = { type: 'Note', content: 'Ask @ada_l, not @bo or `@bob`' };
      const { body } = await post(sb, { object }, '/1/message?dry_run=true');
      assert.equal(body.parts[0].content.text, object.content);
      assert.deepEqual(body.may_be_formatted, [{ text: '@ada_l', as: 'mention' }]);
    });

    it('a dry run names missing fields', async () => {
      await using sb = await open();
      await sb.change({ token: null });
      const to = { type: 'Person', id: 'nobody' };
      const { body } = await post(sb, { to, ...note('x') }, '/1/message?dry_run=true');
      assert.equal(body.ready, false);
      assert.deepEqual(
        body.missing.map(({ what }: { what: string }) => what),
        ['credential', 'recipient'],
      );
      const empty = { object: { type: 'Note', mediaType: 'text/html', content: '<!-- -->' } };
      const nothing = (await post(sb, { to, ...empty }, '/1/message?dry_run=true')).body.missing;
      assert.equal(nothing.at(-1).what, 'channel');
      for (const value of ['yes', '1', '']) {
        const refused = await post(sb, note('x'), `/1/message?dry_run=${value}`);
        assert.equal(refused.status, 422, value);
      }
    });

    it('passes edits and deletions on to webhook endpoints', async () => {
      await using sb = await openDelivery(engine, { channel: 'webhook', open: openWebhook });
      const removal = message({ type: 'Delete', object: { type: 'Tombstone', id: 'any' } });
      const { body } = await sb.app.post('/1/message', removal);
      assert.equal((await sb.settled(body.id)).state, 'sent');
      assert.deepEqual(sb.peer.seen[0]?.json, removal.message);
    });

    it('refuses operations that the channel does not support', async () => {
      await using sb = await openDelivery(engine, {
        channel: 'slack',
        open: openSlack,
        credentials: { token: SLACK_TOKEN },
      });
      const { id } = (
        await sb.app.post('/1/integrations', {
          application_id: sb.applicationId,
          name: 'irc',
          state: 'enable',
          address: 'irc.example.com',
          username: 'switch',
        })
      ).body;
      const generator = { type: 'Service', id };
      const to = { type: 'Group', id: '#den' };
      const update = message({ type: 'Update', generator, to, ...note('x') });
      const { body } = await sb.app.post('/1/message', update);
      assert.equal(body.code, 'unsupported');
      assert.match(body.detail, /IRC/);
    });
  });
}
