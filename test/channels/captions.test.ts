import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CHANNELS } from '../../src/channels/index.ts';
import { textMember } from '../../src/lib/json/json-member.ts';
import type { Request } from '../emulators/server/http.ts';
import { hosted } from '../emulators/server/media.ts';
import { integrate, message } from '../support/service/activity.ts';
import { type DeliveryService, openWebhookDelivery } from '../support/service/delivery.ts';
import { BRANCHES, type Branch } from './image-channels.ts';

/* Updating an image with a Note changes its caption; the image stays. */

const CAPTION = 'Now with a caption';
const URL = hosted('photo.png');

/** The expected edit request; there must be no upload. */
const CHANGES: Readonly<Record<string, (edit: Request, before: readonly Request[]) => void>> = {
  discord({ method, json }) {
    assert.equal(method, 'PATCH');
    assert.partialDeepStrictEqual(json, { content: CAPTION, components: [] });
    assert.ok(!Object.keys(json as object).some((key) => /embeds|attachments/.test(key)));
  },
  'google-chat'({ text }) {
    assert.ok(text.includes(CAPTION) && text.includes(URL));
  },
  matrix({ json }, earlier) {
    const first = earlier.find(({ json: sent }) => textMember(sent, 'msgtype') === 'm.image');
    const url = textMember(first?.json, 'url');
    assert.ok(url);
    const content = { msgtype: 'm.image', body: CAPTION, url, filename: 'photo.png' };
    assert.partialDeepStrictEqual(json, { 'm.new_content': content });
    assert.partialDeepStrictEqual(json, { msgtype: 'm.image', url, body: `* ${CAPTION}` });
    assert.equal(earlier.filter(({ path }) => path.includes('/upload')).length, 1);
  },
  mattermost({ path, json }) {
    assert.match(path, /\/patch$/);
    assert.deepEqual(json, { message: CAPTION });
  },
  'ms-teams'({ method, text }) {
    assert.equal(method, 'PUT');
    assert.ok(text.includes(CAPTION) && text.includes(URL));
  },
  ntfy({ json }) {
    assert.partialDeepStrictEqual(json, { message: CAPTION, attach: URL });
  },
  rocketchat({ path, json }) {
    assert.match(path, /chat\.update$/);
    assert.partialDeepStrictEqual(json, { text: CAPTION });
  },
  slack({ path, text }) {
    assert.match(path, /chat\.update$/);
    assert.ok(text.includes(CAPTION) && text.includes(URL));
  },
  telegram({ path, json }) {
    assert.match(path, /editMessageCaption$/);
    assert.partialDeepStrictEqual(json, { caption: CAPTION });
  },
  zulip({ method, form }, earlier) {
    assert.equal(method, 'PATCH');
    const upload = earlier.find(({ path }) => path.includes('user_uploads'));
    assert.ok(upload?.parts?.some(({ filename }) => filename === 'photo.png'));
    assert.match(form?.['content'] ?? '', /\/user_uploads\/\S+photo\.png/);
  },
};
/** Products that cannot edit a message with a file: the update fails, and the image stays. */
const REFUSING = ['signal', 'webex'];

describe('updating an image with a Note', () => {
  const branches = BRANCHES.filter(
    ({ channel }) => channel in CHANGES || REFUSING.includes(channel),
  );
  const peers = new Map<string, Awaited<ReturnType<Branch['open']>>>();
  let sb: DeliveryService;

  before(async () => {
    for (const { channel, open } of branches) peers.set(channel, await open());
    const urls = [...peers].map(([channel, { url }]) => [
      `SWITCHBOARD_${channel.toUpperCase().replaceAll('-', '_')}_URL`,
      url,
    ]);
    sb = await openWebhookDelivery('sqlite', { environment: Object.fromEntries(urls) });
  });
  after(async () => {
    await sb[Symbol.asyncDispose]();
    for (const peer of peers.values()) await peer.close();
  });

  for (const { channel, credentials, to: id } of branches) {
    const check = CHANGES[channel];
    const what = check ? 'changes the caption and keeps the image' : 'refuses to change the image';
    it(`${what}: ${channel}`, async () => {
      const peer = peers.get(channel);
      assert.ok(peer);
      const integration = await integrate(sb.app, sb.applicationId, {
        name: channel,
        token: null,
        ...credentials(peer.url),
      });
      const generator = { type: 'Service', id: String(integration.id) };
      const to = { type: 'Person', id };
      const send = async (type: string, object: object) => {
        const activity = message({ type, generator, to, object: { id: 'mill', ...object } });
        const { body } = await sb.app.post('/1/message', activity);
        const { state, error } = await sb.settled(body.id);
        return [state, error?.code ?? null];
      };
      const image = { type: 'Image', url: URL, mediaType: 'image/png' };
      assert.deepEqual(await send('Create', image), ['sent', null]);
      const outcome = check ? ['sent', null] : ['failed', 'unsupported'];
      assert.deepEqual(await send('Update', { type: 'Note', content: 'First' }), outcome);
      assert.deepEqual(await send('Update', { type: 'Note', content: CAPTION }), outcome);
      if (!check) return assert.ok(!peer.seen.some(({ text }) => text.includes(CAPTION)));
      const edit = peer.seen.findLast(
        ({ text, form }) => text.includes(CAPTION) || form?.['content']?.includes(CAPTION) === true,
      );
      assert.ok(edit);
      check(edit, peer.seen);
    });
  }

  it('updating an image with a Note is tested on every channel that edits', () => {
    const editing = CHANNELS.filter(
      ({ edit, renderers }) => edit && typeof renderers === 'object' && renderers.image,
    ).map(({ name }) => name);
    const overHttp = BRANCHES.map(({ channel }) => channel);
    assert.deepEqual(
      editing.filter((name) => overHttp.includes(name)).toSorted(),
      branches.map(({ channel }) => channel).toSorted(),
    );
  });
});
