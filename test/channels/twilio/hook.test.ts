import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';

import type { HookRequest } from '../../../src/channels/inbound.ts';
import { twilio } from '../../../src/channels/twilio/channel.ts';
import {
  ACCOUNT,
  FILE,
  KEY,
  KEY_SECRET,
  MEDIA,
  NUMBERS,
  SENDER,
  SENDER_SID,
  SERVICE,
  TOKEN,
  openTwilio,
  twilioError,
} from '../../emulators/sms/twilio.ts';
import { HOOK_URL, type WebhookRequest, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const sid = 'SM0123456789abcdef0123456789abcdef';
const whatsapp = `whatsapp:${NUMBERS.person}`;
const USER_ID = 'US.13491208655302741918';
const PARENT_ID = 'US.ENT.11815799212886844830';
const form = (fields: Record<string, string>) => ({
  headers: FORM,
  body: new URLSearchParams(fields).toString(),
});

/** As documented: parameters by name, in the order of their characters. */
function sign(url: string, fields: readonly (readonly [string, string])[], token: string): string {
  const sorted = fields.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const parameterText = sorted.map(([name, value]) => name + value).join('');
  return createHmac('sha1', token).update(`${url}${parameterText}`, 'utf8').digest('base64');
}

function prove(made: WebhookRequest, { secret = '' }: { secret?: string }): WebhookRequest {
  const query = new URLSearchParams(made.query).toString();
  const url = `${HOOK_URL}${made.path}${query === '' ? '' : `?${query}`}`;
  const fields = made.method === 'GET' ? [] : [...new URLSearchParams(made.body.toString())];
  return { ...made, headers: { ...made.headers, 'X-Twilio-Signature': sign(url, fields, secret) } };
}

const answer = { text: '<Response/>', type: 'text/xml' };
/** Parameters of every text message. */
const SMS = {
  ToCountry: 'US',
  SmsMessageSid: sid,
  NumMedia: '0',
  SmsSid: sid,
  SmsStatus: 'received',
  To: SENDER,
  NumSegments: '1',
  MessageSid: sid,
  AccountSid: ACCOUNT,
  From: NUMBERS.person,
  ApiVersion: '2010-04-01',
};
const received = { what: 'message', key: sid, id: sid, from: { id: NUMBERS.person } } as const;
const onWhatsApp = {
  ...SMS,
  From: whatsapp,
  To: `whatsapp:${SENDER}`,
  ProfileName: 'Alma',
  WaId: '15558675310',
};
const receivedOnWhatsApp = {
  ...received,
  from: { id: whatsapp, name: 'Alma', otherAddresses: [] as string[] },
};
const mediaUrl = `https://api.twilio.com/2010-04-01/Accounts/${ACCOUNT}/Messages/${MEDIA.replace('/', '/Media/')}`;
const report = (MessageStatus: string, more: Record<string, string> = {}) =>
  form({
    MessageSid: sid,
    SmsSid: sid,
    SmsStatus: MessageStatus,
    MessageStatus,
    To: NUMBERS.person,
    From: SENDER,
    AccountSid: ACCOUNT,
    ApiVersion: '2010-04-01',
    ...more,
  });

testHook(twilio, {
  credentials: { token: ACCOUNT, secret: TOKEN, username: SENDER },
  prove,
  coversBody: true,
  cases: [
    {
      it: 'receives a text message',
      call: form({ ...SMS, Body: 'Good morning! 👋 a=b&c+d' }),
      inboundEvents: [{ ...received, text: 'Good morning! 👋 a=b&c+d' }],
      answer,
    },
    {
      it: 'receives an empty message',
      call: form({ Body: '', ...SMS }),
      inboundEvents: [{ ...received, text: '' }],
      answer,
    },
    {
      it: 'receives a word that stops messages, as the vendor understood it',
      call: form({ ...SMS, Body: 'Genug', OptOutType: 'STOP' }),
      inboundEvents: [{ ...received, text: 'Genug', optOut: 'stop' }],
      answer,
    },
    {
      it: 'ignores an unknown kind of opt-out',
      call: form({ ...SMS, Body: 'Genug', OptOutType: 'PAUSE' }),
      inboundEvents: [{ ...received, text: 'Genug' }],
      answer,
    },
    {
      it: 'receives a message by GET',
      call: { method: 'GET', query: { ...SMS, Body: 'Hello' } },
      inboundEvents: [{ ...received, text: 'Hello' }],
      answer,
    },
    {
      it: 'receives images with their text',
      call: form({
        ...SMS,
        Body: 'Look',
        NumMedia: '2',
        MediaContentType0: 'image/jpeg',
        MediaUrl0: mediaUrl,
        MediaContentType1: 'application/pdf',
        MediaUrl1: mediaUrl,
      }),
      inboundEvents: [
        {
          ...received,
          text: 'Look',
          media: [
            { type: 'Image', reference: MEDIA, mediaType: 'image/jpeg' },
            { type: 'Document', reference: MEDIA, mediaType: 'application/pdf' },
          ],
        },
      ],
      answer,
    },
    {
      it: 'receives a WhatsApp reply',
      call: form({
        ...onWhatsApp,
        Body: 'Yes, please',
        OriginalRepliedMessageSender: `whatsapp:${SENDER}`,
        OriginalRepliedMessageSid: 'SMffffffffffffffffffffffffffffffff',
      }),
      inboundEvents: [
        {
          ...receivedOnWhatsApp,
          text: 'Yes, please',
          replyTo: 'SMffffffffffffffffffffffffffffffff',
        },
      ],
      answer,
    },
    {
      it: 'receives a WhatsApp place',
      call: form({
        ...onWhatsApp,
        Body: '',
        Latitude: '48.8584',
        Longitude: '2.2945',
        Label: 'Eiffel tower',
        Address: 'Paris',
      }),
      inboundEvents: [
        {
          ...receivedOnWhatsApp,
          place: { latitude: 48.8584, longitude: 2.2945, name: 'Eiffel tower' },
        },
      ],
      answer,
    },
    {
      it: 'receives a WhatsApp button press',
      call: form({ ...onWhatsApp, Body: 'Yes', ButtonText: 'Yes', ButtonPayload: 'yes-1' }),
      inboundEvents: [
        { ...receivedOnWhatsApp, text: 'Yes', button: { name: 'Yes', value: 'yes-1' } },
      ],
      answer,
    },
    {
      it: "receives a WhatsApp user's number with the ids that stay when it is hidden",
      call: form({
        ...onWhatsApp,
        Body: 'Hi',
        ExternalUserId: USER_ID,
        ParentExternalUserId: `whatsapp:${PARENT_ID}`,
      }),
      inboundEvents: [
        {
          ...receivedOnWhatsApp,
          from: {
            ...receivedOnWhatsApp.from,
            otherAddresses: [`whatsapp:${USER_ID}`, `whatsapp:${PARENT_ID}`],
          },
          text: 'Hi',
        },
      ],
      answer,
    },
    {
      it: 'receives a WhatsApp user with a hidden number',
      call: form({
        ...onWhatsApp,
        From: `whatsapp:${USER_ID}`,
        Body: 'Hi',
        ExternalUserId: USER_ID,
      }),
      inboundEvents: [
        {
          ...receivedOnWhatsApp,
          from: { ...receivedOnWhatsApp.from, id: `whatsapp:${USER_ID}` },
          text: 'Hi',
        },
      ],
      answer,
    },
    {
      it: 'receives a delivery receipt',
      call: report('delivered', { RawDlrDoneDate: '2411151213' }),
      inboundEvents: [{ what: 'receipt', id: sid, state: 'delivered' }],
      answer,
    },
    {
      it: 'receives a read receipt',
      call: report('read', { EventType: 'READ', ChannelToAddress: '+1555XXX' }),
      inboundEvents: [{ what: 'receipt', id: sid, state: 'read' }],
      answer,
    },
    {
      it: 'receives a failure report with its reason',
      call: report('undelivered', { ErrorCode: '30003', ErrorMessage: 'Unreachable handset' }),
      inboundEvents: [
        {
          what: 'receipt',
          id: sid,
          state: 'failed',
          code: '30003',
          detail: 'Unreachable handset',
        },
      ],
      answer,
    },
    {
      it: 'receives a failure report with a code only',
      call: report('failed', { ErrorCode: '21610' }),
      inboundEvents: [
        {
          what: 'receipt',
          id: sid,
          state: 'failed',
          code: '21610',
          detail: 'Twilio reports error 21610',
        },
      ],
      answer,
    },
    {
      it: 'ignores intermediate states',
      call: report('sent'),
      inboundEvents: [],
      answer,
    },
  ],
});

describe("twilio's signature", () => {
  const { hook } = twilio;
  assert.ok(hook);
  // From Twilio's own documentation and libraries.
  const documented = (url: string, caller: string): HookRequest => ({
    method: 'POST',
    url,
    path: '',
    query: new URLSearchParams(),
    header: () =>
      ({ example: 'RSOYDt4T1cUTdK1PDd93/VVr8B8=', docs: 'L/OH5YylLD5NRKLltdqwSvS0BnU=' })[
        caller === '+14158675309' ? 'example' : 'docs'
      ],
    body: Buffer.from(
      new URLSearchParams({
        CallSid: 'CA1234567890ABCDE',
        Caller: caller,
        Digits: '1234',
        From: caller,
        To: '+18005551212',
      }).toString(),
    ),
  });
  const verdict = async (call: HookRequest) => {
    await using context = openContext({ credentials: { secret: '12345' }, url: 'https://none' });
    return await hook.verify(call, context);
  };

  it('matches the documented examples', async () => {
    const older = documented('https://mycompany.com/myapp.php?foo=1&bar=2', '+14158675309');
    const newer = documented('https://example.com/myapp.php?foo=1&bar=2', '+14158675310');
    assert.equal(await verdict(older), undefined);
    assert.equal(await verdict(newer), undefined);
    assert.ok(await verdict({ ...older, url: 'https://mycompany.com/myapp.php?foo=1&bar=3' }));
  });

  it("twilio's signature is accepted with and without the default port, and with no other", async () => {
    const url = 'https://mycompany.com:443/myapp.php?foo=1&bar=2';
    assert.equal(await verdict(documented(url, '+14158675309')), undefined);
    assert.ok(await verdict(documented(url.replace('443', '8443'), '+14158675309')));
  });
});

describe('twilio webhook registration', () => {
  const credentials = { token: ACCOUNT, secret: TOKEN, username: SENDER };
  const run = async (given: object) => {
    const peer = await openTwilio();
    await using context = openContext({ credentials: { ...credentials, ...given }, url: peer.url });
    const result = await twilio.hook?.register?.(HOOK_URL, context);
    await peer.close();
    return { result, seen: peer.seen };
  };

  it('configures a phone number', async () => {
    const { result, seen } = await run({});
    assert.deepEqual(result, { outcome: 'known', as: SENDER });
    assert.deepEqual(seen.at(-1)?.form, { SmsUrl: HOOK_URL, SmsMethod: 'POST' });
    assert.ok(seen.at(-1)?.path.endsWith(`/IncomingPhoneNumbers/${SENDER_SID}.json`));
  });

  it('configures a messaging service, including status callbacks', async () => {
    const { result, seen } = await run({ username: SERVICE });
    assert.deepEqual(result, { outcome: 'known', as: SERVICE });
    assert.equal(seen.at(-1)?.path, `/v1/Services/${SERVICE}`);
    assert.equal(seen.at(-1)?.form?.['StatusCallback'], HOOK_URL);
  });

  it('reports a number that is malformed or not of the account', async () => {
    const { result } = await run({ username: '+15550000000' });
    assert.partialDeepStrictEqual(result, { outcome: 'permanent', blame: 'credentials' });
    const { result: other } = await run({ username: `whatsapp:${SENDER}` });
    assert.partialDeepStrictEqual(other, { outcome: 'permanent', blame: 'unsupported' });
    const { result: unknown } = await run({ secret: 'fake-other' });
    assert.partialDeepStrictEqual(unknown, { outcome: 'permanent', blame: 'credentials' });
  });
});

describe('twilio media', () => {
  const run = async (reference: string, given: object = {}, reply?: object) => {
    const peer = await openTwilio();
    if (reply) peer.next({ status: 200, ...reply });
    const credentials = { token: ACCOUNT, secret: TOKEN, username: SENDER, ...given };
    await using context = openContext({ credentials, url: peer.url });
    const found = await twilio.media?.(reference, context);
    await peer.close();
    return { found, url: peer.url };
  };

  it('twilio media are fetched from the redirect target without the password', async () => {
    const { found } = await run(MEDIA);
    assert.deepEqual(found, { url: FILE });
  });

  it('twilio media are fetched with the password from Twilio itself', async () => {
    const keys = { secret: undefined, consumer_key: KEY, consumer_secret: KEY_SECRET };
    const { found, url } = await run(MEDIA, keys, { body: 'an image' });
    const basic = `Basic ${Buffer.from(`${KEY}:${KEY_SECRET}`).toString('base64')}`;
    const path = `/2010-04-01/Accounts/${ACCOUNT}/Messages/${MEDIA.replace('/', '/Media/')}`;
    assert.deepEqual(found, { url: `${url}${path}`, headers: { authorization: basic } });
  });

  it('twilio media may be missing, and are fetched from no other host', async () => {
    const { found } = await run(MEDIA, {}, twilioError(20404, 404));
    assert.partialDeepStrictEqual(found, { outcome: 'permanent', code: '20404' });
    const { found: other } = await run('../../Keys.json/ME');
    assert.partialDeepStrictEqual(other, { outcome: 'permanent', blame: 'content' });
  });
});
