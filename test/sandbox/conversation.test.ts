import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { capabilitiesOf } from '../../src/channels/capabilities.ts';
import { findChannel } from '../../src/channels/index.ts';
import { SIMULATED_CHANNELS } from '../../src/sandbox/index.ts';
import { RECEIPT_STATES } from '../../src/sandbox/shown.ts';
import { isReported, receiptStates } from '../../src/sandbox/simulator.ts';
import type { Reply } from '../support/service/client.ts';
import {
  REPORTED,
  type SandboxService,
  type SandboxTest,
  openSandboxes,
} from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';

/* For each simulated channel: what is sent appears on the phone, and what people do arrives as events. */

const IMAGE = 'https://www.example.com/parcel.png';
/** Channels that format text for some people, but not for the first. */
const PLAIN = ['smpp', 'twilio', 'vonage', 'webpush', 'wechat'];
/** Channels that tell no ids of sent messages. */
const WITHOUT_IDS = ['irc', 'nextcloud-talk', 'webhook', 'wechat'];
const SENT = ['sent', 'delivered', 'read'];

/* The engines store the same, so each test of a channel runs on one of them: the main ones on the embedded store. */
const MAIN = [
  'shows a text',
  'shows buttons and returns a press',
  'passes on what a person answers',
  'sends only the delivery reports that the vendor has',
];
const ON_BOTH = ['twilio', 'xmpp'];

for (const engine of ENGINES) {
  describe(`sandbox conversations (${engine})`, { concurrency: 6 }, () => {
    let sandboxes: SandboxService;

    before(async () => {
      sandboxes = await openSandboxes(engine);
    });
    after(() => sandboxes[Symbol.asyncDispose]());

    for (const name of SIMULATED_CHANNELS) {
      const channel = findChannel(name);
      assert.ok(channel, name);
      const can = capabilitiesOf(channel);

      const sent = async (
        sandbox: SandboxTest,
        object: Record<string, unknown>,
        options?: Record<string, unknown>,
      ) => {
        const id = await sandbox.send(object, sandbox.recipient, options);
        const message = await sandbox.message(id, ({ state }) => !/queued|sending/.test(state));
        assert.ok(SENT.includes(message.state), JSON.stringify(message));
        assert.equal(message.sandbox, true);
        return message;
      };

      const row = (title: string, test: () => Promise<void>) => {
        const isMain = MAIN.includes(title);
        const isHere = engine === 'sqlite' ? isMain : !isMain || ON_BOTH.includes(name);
        if (isHere) it(`${name} ${title}`, test);
      };

      /** All texts: a line may be a message of its own. */
      const textOn = async (sandbox: SandboxTest) =>
        (await sandbox.phone()).map(({ text }) => text).join('\n');

      row('shows a text', async () => {
        const sandbox = await sandboxes.open(name);
        const { channel_ids } = await sent(sandbox, { type: 'Note', content: 'Good morning!' });
        const shown = await sandbox.shown('the text', ({ text }) => text === 'Good morning!');
        assert.equal(shown.author, 'application');
        assert.equal(shown.with, sandbox.recipient);
        assert.deepEqual(channel_ids, WITHOUT_IDS.includes(name) ? [] : [shown.channel_id]);
      });

      row('shows formatted text', async () => {
        const sandbox = await sandboxes.open(name);
        const content = 'Your order is **on its way**.';
        await sent(sandbox, { type: 'Note', mediaType: 'text/markdown', content });
        const shown = await sandbox.shown('the text', ({ text }) => /on its way/.test(text));
        assert.equal(shown.text, 'Your order is on its way.');
        const bold = shown.runs?.find((run: { bold?: true }) => run.bold);
        const isFormatted = can.formatting && !PLAIN.includes(name);
        assert.equal(bold?.text, isFormatted ? 'on its way' : undefined);
      });

      row('shows an image', async () => {
        const sandbox = await sandboxes.open(name);
        await sent(sandbox, { type: 'Image', url: IMAGE, mediaType: 'image/png', content: 'Look' });
        const shown = await sandbox.shown('the image', ({ media, text }) => media ?? text);
        const [image] = shown.media ?? [];
        if (!image) return assert.match(await textOn(sandbox), /parcel\.png/);
        assert.equal(image.type, 'Image');
        assert.ok(image.url === IMAGE || image.file !== undefined, JSON.stringify(image));
        if (image.file === undefined) return;
        const path = `/1/sandbox/${sandbox.integrationId}/files/${image.file}`;
        assert.equal((await sandbox.app.get(path)).status, 200);
      });

      row('shows buttons and returns a press', async () => {
        const sandbox = await sandboxes.open(name);
        const attachment = [
          { type: 'Button', name: 'Yes', value: 'yes-7' },
          { type: 'Button', name: 'No', value: 'no-7' },
        ];
        await sent(sandbox, { type: 'Note', content: 'At home?', attachment });
        const shown = await sandbox.shown('the question', ({ text }) => /At home/.test(text));
        if (!shown.buttons) return assert.match(await textOn(sandbox), /Yes[^]*No/);
        assert.deepEqual(
          shown.buttons.map(({ label }: { label: string }) => label),
          ['Yes', 'No'],
        );
        if (!isReported(sandbox.simulator, 'press')) return;
        const { status } = await sandbox.act('press', { message: shown.id, button: 'Yes' });
        assert.equal(status, 200);
        const { data } = await sandbox.event(
          'the press',
          ({ type }) => type === 'message.received',
        );
        assert.partialDeepStrictEqual(data.object.attachment, [{ name: 'Yes', value: 'yes-7' }]);
      });

      row('passes on what a person answers', async () => {
        const sandbox = await sandboxes.open(name);
        if (!isReported(sandbox.simulator, 'message')) return;
        const { address } = sandbox.simulator.people[0];
        const { status, body } = await sandbox.act('reply', {
          from: address,
          text: 'Hello *you* <3',
        });
        assert.equal(status, 200);
        assert.equal(body.author, 'person');
        const { data } = await sandbox.event('the text', ({ type }) => type === 'message.received');
        assert.equal(data.object.content, 'Hello *you* <3');
        // The address for an answer: people who are only in rooms have none of their own.
        assert.equal(data.actor.id, sandbox.recipient);
      });

      row('passes on a file', async () => {
        const sandbox = await sandboxes.open(name);
        const isPassedOn = channel.media !== undefined || name === 'webhook';
        if (!isReported(sandbox.simulator, 'message') || !isPassedOn) return;
        const media = { type: 'Image', data: Buffer.from('a photo').toString('base64') };
        const reply = await sandbox.act('reply', { text: 'Look', media });
        assert.equal(reply.status, 200);
        const { id, data } = await sandbox.event('it', ({ type }) => type === 'message.received');
        const parts = [data.object, ...(data.object.attachment ?? [])];
        // Some vendors do not tell the kind of a file.
        const found = parts.find(({ type }) => type === 'Image' || type === 'Document');
        assert.ok(found, JSON.stringify(data));
        const file = await sandbox.app.get(new URL(found.url).pathname);
        assert.equal(file.status, 200, `event ${id}: ${file.text}`);
        assert.equal(file.text, 'a photo');
      });

      row('passes on a place', async () => {
        const sandbox = await sandboxes.open(name);
        if (!isReported(sandbox.simulator, 'message')) return;
        const place = { latitude: 52.5163, longitude: 13.3777, name: 'Brandenburger Tor' };
        const reply = await sandbox.act('reply', { text: 'I am *here*', place });
        assert.equal(reply.status, 200);
        const received = (isWanted: (object: Reply['body']) => boolean) =>
          sandbox.event(
            'it',
            ({ type, data }) => type === 'message.received' && isWanted(data.object),
          );
        await received(({ content }) => content === 'I am *here*');
        await received(({ type, latitude, longitude, content }) =>
          type === 'Place'
            ? latitude === place.latitude && longitude === place.longitude
            : content.includes('52.5163,13.3777'),
        );
      });

      row('passes on what people write at once', async () => {
        const sandbox = await sandboxes.open(name);
        const { session, polled } = sandbox.simulator;
        if (!isReported(sandbox.simulator, 'message') || !(session ?? polled)) return;
        const texts = ['One', 'Two', 'Three', 'Four'];
        await Promise.all(texts.map((text) => sandbox.act('reply', { text })));
        for (const text of texts) {
          await sandbox.event(text, ({ data }) => data.object?.content === text);
        }
      });

      row('sends only the delivery reports that the vendor has', async () => {
        const sandbox = await sandboxes.open(name);
        const reported = receiptStates(sandbox.simulator);
        assert.deepEqual(
          reported.filter((state) => !can.receipts.includes(state)),
          [],
        );
        const { body } = await sandbox.app.get(`/1/sandbox/${sandbox.integrationId}`);
        assert.deepEqual(body.receipts, reported);
        const { id } = await sent(sandbox, { type: 'Note', content: 'Hello' }, REPORTED[name]);
        if (reported.includes('delivered')) {
          await sandbox.message(id, ({ state }) => state === 'delivered');
        }
        const { id: message } = await sandbox.shown('it', ({ text }) => text === 'Hello');
        for (const state of RECEIPT_STATES) {
          const { status } = await sandbox.act('receipts', { message, state });
          assert.equal(status, reported.includes(state) ? 204 : 422, state);
        }
        if (!reported.includes('read')) return;
        await sandbox.message(id, ({ state }) => state === 'read');
      });

      row('edits and deletes what the phone shows', async () => {
        const sandbox = await sandboxes.open(name);
        if (!can.edit) return;
        await sent(sandbox, { type: 'Note', id: 'a', content: 'Before' });
        const change = async (type: 'Update' | 'Delete', object: Record<string, unknown>) => {
          const to = { type: 'Person', id: sandbox.recipient };
          const generator = { type: 'Service', id: sandbox.integrationId };
          const message = { type, generator, to, object: { type: 'Note', id: 'a', ...object } };
          const context = { '@context': 'https://www.w3.org/ns/activitystreams' };
          const { status } = await sandbox.app.post('/1/message', {
            message: { ...context, ...message },
          });
          assert.equal(status, 202);
        };
        await change('Update', { content: 'After' });
        const edited = await sandbox.shown('the edit', ({ text }) => text === 'After');
        assert.equal(edited.edited, true);
        if (!can.remove) return;
        await change('Delete', {});
        await sandbox.shown('the deletion', ({ deleted }) => deleted);
      });
    }
  });
}
