import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { createServer } from 'node:tls';

import { irc } from '../../../src/channels/irc/channel.ts';
import { makeCertificate, makeExpiredCertificate } from '../../emulators/server/certificate.ts';
import { assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';

describe('irc over TLS', () => {
  const expired = makeExpiredCertificate('localhost');
  for (const [what, certificate, detail, trusted] of [
    ['that is self-signed', makeCertificate('localhost'), 'DEPTH_ZERO_SELF_SIGNED_CERT', {}],
    ['that has expired', expired, 'CERT_HAS_EXPIRED', { ca: expired.cert }],
  ] as const) {
    it(`blames the credentials for a certificate ${what}`, async () => {
      const server = createServer(certificate).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const credentials = { address: `127.0.0.1:${port}+tls`, username: 'switch' };
      await using context = openContext({ credentials, url: '', ...trusted });
      try {
        for (const calls of ['send', 'check'] as const) {
          const message = outgoing({ recipient: 'bob' });
          const result = await resultOf(irc, calls, message, undefined, context);
          assertOutcome(result, { outcome: 'permanent', blame: 'credentials', detail });
        }
      } finally {
        server.close();
      }
    });
  }
});
