import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { createServer } from 'node:tls';

import { irc } from '../../src/channels/irc.ts';
import { makeCertificate } from '../emulators/certificate.ts';
import { assertOutcome, openContext, outgoing, resultOf } from './suite.ts';

describe('irc over TLS', () => {
  it('blames the configuration for a certificate that nobody vouches for', async () => {
    const server = createServer(makeCertificate('localhost')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using context = openContext({
      credentials: { address: `127.0.0.1:${port}+tls`, username: 'switch' },
      url: '',
    });
    try {
      for (const calls of ['send', 'check'] as const) {
        const message = outgoing({ recipient: 'bob' });
        const result = await resultOf(irc, calls, message, undefined, context);
        const detail = 'DEPTH_ZERO_SELF_SIGNED_CERT';
        assertOutcome(result, { outcome: 'permanent', blame: 'credentials', detail });
      }
    } finally {
      server.close();
    }
  });
});
