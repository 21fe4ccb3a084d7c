import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { capabilitiesOf } from '../../src/channels/capabilities.ts';
import { CHANNELS } from '../../src/channels/index.ts';
import { PASSWORD, USER, type SmtpPeer, openSmtp } from '../emulators/mail/smtp.ts';
import type { Request } from '../emulators/server/http.ts';
import { FILE, FILE_BYTES, TOKEN, openTelegram } from '../emulators/telegram.ts';
import { type XmppPeer, openXmpp } from '../emulators/xmpp.ts';
import { integrate, message } from '../support/service/activity.ts';
import { Guest } from '../support/service/chat.ts';
import { type DeliveryService, openDelivery } from '../support/service/delivery.ts';
import { eventsOf } from '../support/service/feed.ts';
import { until } from '../support/until.ts';
import { readEmail } from './email/files.ts';
import { BRANCHES, type Branch } from './image-channels.ts';

/*
 * An image received by one channel is sent on through every channel that supports images, either uploaded to the
 * vendor or fetched by the vendor from its address.
 */

const SECRET = 'fake-secret_of-a-webhook';
const PUBLIC_URL = 'https://echo.example';
/** Not over HTTP; each has its own test below. */
const OTHERS = ['email', 'xmpp', 'webmessenger'];

describe('sending on a received image', () => {
  const peers = new Map<string, Awaited<ReturnType<Branch['open']>>>();
  let smtp: SmtpPeer;
  let xmpp: XmppPeer;
  let sb: DeliveryService;
  let image: { type: string; url: string };

  before(async () => {
    for (const { channel, open } of BRANCHES) peers.set(channel, await open());
    smtp = await openSmtp();
    xmpp = await openXmpp();
    const urls = [...peers].map(([channel, { url }]) => [
      `SWITCHBOARD_${channel.toUpperCase().replaceAll('-', '_')}_URL`,
      url,
    ]);
    sb = await openDelivery('sqlite', {
      channel: 'telegram',
      open: openTelegram,
      credentials: { token: TOKEN, secret: SECRET },
      environment: { ...Object.fromEntries(urls), SWITCHBOARD_PUBLIC_URL: PUBLIC_URL },
    });
    image = await receive();
  });
  after(async () => {
    await sb[Symbol.asyncDispose]();
    await smtp.close();
    await xmpp.close();
    for (const peer of peers.values()) await peer.close();
  });

  async function receive() {
    const { body } = await sb.app.get(`/1/integrations/${sb.integrationId}/hook`);
    await fetch(body.url.replace(PUBLIC_URL, sb.service.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': SECRET },
      body: JSON.stringify({
        update_id: 1,
        message: {
          message_id: 1,
          date: 1_794_700_800,
          from: { id: 123_456_789, is_bot: false, first_name: 'Ada' },
          chat: { id: 123_456_789, type: 'private' },
          photo: [{ file_id: FILE, file_unique_id: 'AQAD', width: 90, height: 90 }],
        },
      }),
    });
    const [event] = await eventsOf(sb.app, 'message.received');
    return event?.data.object as typeof image;
  }

  /** Sends the received image on; returns the dry run. */
  async function send(channel: string, credentials: Record<string, string>, id: string) {
    const integration = await integrate(sb.app, sb.applicationId, {
      name: channel,
      token: null,
      ...credentials,
    });
    const generator = { type: 'Service', id: String(integration.id) };
    const body = message({ generator, to: { type: 'Person', id }, object: image });
    const dry = await sb.app.post('/1/message?dry_run=true', body);
    assert.deepEqual([dry.status, dry.body.degraded, dry.body.error], [200, [], null]);
    const { body: accepted } = await sb.app.post('/1/message', body);
    const { state, error } = await sb.settled(accepted.id);
    assert.deepEqual([state, error], ['sent', null]);
    return dry.body.parts[0].received as { by: string }[];
  }

  const fetched = async (text: string): Promise<string[]> => {
    const decoded = [text, decodeURIComponent(text.replaceAll(/%(?![\da-f]{2})/gi, '%25'))];
    const addresses = decoded.flatMap((each) =>
      [
        ...each
          .replaceAll('&amp;', '&')
          .matchAll(/https:\/\/echo\.example\/1\/media\/[^"'<>\s)\\]+/g),
      ].map(([found]) => found),
    );
    const answers = addresses.map(async (address) => {
      const answer = await fetch(address.replace(PUBLIC_URL, sb.service.url));
      return answer.status === 200 ? answer.text() : String(answer.status);
    });
    return Promise.all(answers);
  };

  const uploaded = ({ bytes, text, parts = [] }: Request): boolean =>
    bytes.toString() === FILE_BYTES ||
    text.includes(`base64,${Buffer.from(FILE_BYTES).toString('base64')}`) ||
    parts.some((part) => part.bytes.toString() === FILE_BYTES);

  for (const { channel, credentials, to, by } of BRANCHES) {
    it(`reaches ${channel} by ${by}`, async () => {
      const peer = peers.get(channel);
      assert.ok(peer);
      const received = await send(channel, credentials(peer.url), to);
      assert.deepEqual(
        received.map((one) => one.by),
        [by],
      );
      const bodies = peer.seen.map(({ text }) => text);
      const hasBytes = peer.seen.some(uploaded);
      const answers = (await Promise.all(bodies.map(fetched))).flat();
      assert.equal(hasBytes, by === 'upload');
      assert.equal(answers.includes(FILE_BYTES), by === 'address', bodies.join('\n'));
    });
  }

  it('attaches it to an email', async () => {
    const credentials = { address: smtp.url, username: USER, token: PASSWORD };
    const received = await send('email', credentials, 'bob@example.net');
    assert.deepEqual(
      received.map(({ by }) => by),
      ['upload'],
    );
    const { attachments } = await readEmail(smtp.seen[0]);
    const files = attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString());
    assert.deepEqual(files, [FILE_BYTES]);
  });

  it('XMPP recipients can fetch it', async () => {
    const credentials = {
      address: xmpp.url,
      username: 'bot@example.org',
      token: 'not-a-secret-of-bot',
    };
    const received = await send('xmpp', credentials, 'bob@example.net');
    assert.deepEqual(
      received.map(({ by }) => by),
      ['address'],
    );
    assert.ok((await fetched(xmpp.seen.join('\n'))).includes(FILE_BYTES));
  });

  it('shows it on the web chat page', async () => {
    const integration = await integrate(sb.app, sb.applicationId, {
      name: 'webmessenger',
      token: null,
    });
    const { body } = await sb.service.as(undefined).post(`/chat/${integration.id}/session`, {});
    const guest = await Guest.open(sb.service.url, body);
    await guest.say('Hello');
    const generator = { type: 'Service', id: String(integration.id) };
    const to = { type: 'Person', id: guest.id };
    await sb.app.post('/1/message', message({ generator, to, object: image }));
    const shown = await until('the image', async () => {
      const answers = await fetched(JSON.stringify(guest.entries));
      return answers.length > 0 && answers;
    });
    assert.deepEqual(new Set(shown), new Set([FILE_BYTES]));
    guest.leave();
  });

  it('covers every channel that supports images', () => {
    const withImages = CHANNELS.filter((channel) => capabilitiesOf(channel).image).map(
      ({ name }) => name,
    );
    const covered = [...BRANCHES.map(({ channel }) => channel), ...OTHERS];
    assert.deepEqual(withImages.toSorted(), covered.toSorted());
  });
});
