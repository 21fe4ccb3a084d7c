import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';

import { callr } from '../../../src/channels/callr/channel.ts';
import { ignored } from '../../../src/channels/inbound.ts';
import { member } from '../../../src/lib/json/json-member.ts';
import { KEY, callrError, openCallr } from '../../emulators/sms/callr.ts';
import { HOOK_URL, type HookCase, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const SECRET = 'fake-secret-of-our-choice';
const id = 'SMS00042';
const event = (type: string, data: object) => ({
  body: {
    event_at: '2025-02-03T12:14:25.340Z',
    event_id: '9422146236497234056PGNSmlw2sOrjq',
    hook_hash: 'HOOK1',
    try: 0,
    type,
    data: { hash: id, ...data },
  },
});
const update = (status: string, more: object = {}) =>
  event('sms.mt.status_update', {
    type: 'OUT',
    from: 'SMS',
    to: '+33123456789',
    text: 'Hello',
    status,
    ...more,
  });

const CASES: readonly HookCase[] = [
  {
    it: 'receives a text message',
    call: event('sms.mo', {
      type: 'IN',
      from: '+33123456789',
      to: '+33700000000',
      text: 'Good morning! 👋',
    }),
    inboundEvents: [
      {
        what: 'message',
        key: id,
        id,
        from: { id: '+33123456789' },
        text: 'Good morning! 👋',
        at: Date.UTC(2025, 1, 3, 12, 14, 25, 340),
      },
    ],
  },
  {
    it: 'receives a delivery receipt',
    call: update('RECEIVED'),
    inboundEvents: [{ what: 'receipt', id, state: 'delivered' }],
  },
  {
    it: 'receives a failure report',
    call: update('EXPIRED'),
    inboundEvents: [{ what: 'receipt', id, state: 'failed', code: 'EXPIRED', detail: 'EXPIRED' }],
  },
  {
    it: 'receives a failure report with its reason',
    call: update('ERROR', { error: 'unknown subscriber' }),
    inboundEvents: [
      { what: 'receipt', id, state: 'failed', code: 'ERROR', detail: 'unknown subscriber' },
    ],
  },
  { it: 'ignores intermediate states', call: update('REMOTE_QUEUED'), inboundEvents: [] },
  {
    it: 'ignores voice calls',
    call: event('call.inbound_start', {}),
    inboundEvents: ignored('call.inbound_start', 'no_event'),
  },
];

for (const hash of ['sha256', 'sha512']) {
  describe(`callr signing with ${hash}`, () => {
    testHook(callr, {
      credentials: { consumer_secret: KEY, refresh: SECRET },
      prove: (made, { refresh = '' }) => {
        const signature = createHmac(hash, refresh).update(made.body).digest('base64');
        return { ...made, headers: { ...made.headers, 'X-CALLR-HmacSignature': signature } };
      },
      coversBody: true,
      cases: CASES,
    });
  });
}

describe('callr webhook registration', () => {
  const run = async (given: object, refusal?: ReturnType<typeof callrError>) => {
    const peer = await openCallr();
    if (refusal) peer.next(refusal);
    const credentials = { consumer_secret: KEY, ...given };
    await using context = openContext({ credentials, url: peer.url });
    const result = await callr.hook?.register?.(HOOK_URL, context);
    await peer.close();
    return { result, seen: peer.seen, renewed: context.renewed };
  };
  const known = { outcome: 'known', as: 'sms.mo, sms.mt.status_update' };
  const subscriptionsIn = (seen: readonly { json: unknown }[]) =>
    seen.map(({ json }) => member(json, 'params'));

  it('subscribes to both events with the existing secret', async () => {
    const { result, seen, renewed } = await run({ refresh: SECRET });
    assert.deepEqual(result, known);
    assert.deepEqual(renewed, []);
    assert.deepEqual(subscriptionsIn(seen), [
      ['sms.mo', HOOK_URL, { hmac_secret: SECRET }],
      ['sms.mt.status_update', HOOK_URL, { hmac_secret: SECRET }],
    ]);
  });

  it('generates and stores a missing secret', async () => {
    const { result, seen, renewed } = await run({});
    assert.deepEqual(result, known);
    const [{ refresh = '' } = {}] = renewed;
    assert.ok(refresh.length >= 40);
    assert.deepEqual(subscriptionsIn(seen)[0], ['sms.mo', HOOK_URL, { hmac_secret: refresh }]);
  });

  it("reports CALLR's error", async () => {
    const { result } = await run({}, callrError(22, 'Authentication failed'));
    assert.partialDeepStrictEqual(result, { outcome: 'permanent', blame: 'credentials' });
  });
});
