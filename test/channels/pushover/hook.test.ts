import assert from 'node:assert/strict';
import { it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { pushover } from '../../../src/channels/pushover.ts';
import { RECEIPT, TOKEN, USER } from '../../emulators/pushover.ts';
import { HOOK_URL, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const callback = (fields: Record<string, string>) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({
    receipt: RECEIPT,
    acknowledged_at: '1360019238',
    acknowledged_by: USER,
    acknowledged_by_device: 'droid2',
    ...fields,
  }).toString(),
});

testHook(pushover, {
  credentials: { token: TOKEN },
  prove: (made) => made,
  coversBody: false,
  cases: [
    {
      it: 'reports an acknowledged emergency as read',
      call: callback({ acknowledged: '1' }),
      inboundEvents: [{ what: 'receipt', id: RECEIPT, state: 'read' }],
    },
    {
      it: 'ignores a callback without an acknowledgement',
      call: callback({ acknowledged: '0' }),
      inboundEvents: ignored('callback', 'no_event'),
    },
  ],
});

it('pushover: a request without a receipt is malformed, and only POST is genuine', async () => {
  await using context = openContext({ credentials: {}, url: 'https://pushover.example' });
  const request = (method: string, body: string) => ({
    method,
    url: HOOK_URL,
    path: '',
    query: new URLSearchParams(),
    header: () => 'application/x-www-form-urlencoded',
    body: Buffer.from(body),
  });
  const { hook } = pushover;
  assert.equal(
    await hook?.parse(request('POST', 'receipt=short&acknowledged=1'), context),
    undefined,
  );
  assert.ok(await hook?.verify(request('GET', ''), context));
});
