import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { describe, it } from 'node:test';

import { smpp } from '../../../src/channels/smpp/channel.ts';
import { openContext, outgoing, resultOf } from '../suite.ts';

/* An independent SMPP server, the npm package smpp, reads what we send. */

interface SubmittedPdu {
  destination_addr: string;
  data_coding: number;
  esm_class: number;
  registered_delivery: number;
  short_message: { message: string; udh?: readonly Buffer[] };
  response(fields?: object): object;
}

interface SmppServerSession {
  on(event: 'error' | 'close', listener: () => void): void;
  on(event: string, listener: (pdu: SubmittedPdu) => void): void;
  send(pdu: object): void;
}

const { createServer } = createRequire(import.meta.url)('smpp') as {
  createServer(listener: (session: SmppServerSession) => void): Server;
};

const LONG = 'Long texts are sent in segments with the same reference. '.repeat(6).trim();

describe('smpp with the server of the npm package smpp', () => {
  it('smpp is read as it was written, in both alphabets and in segments', async () => {
    const submitted: SubmittedPdu[] = [];
    const server = createServer((session) => {
      session.on('error', () => {});
      session.on('bind_transceiver', (pdu) => session.send(pdu.response()));
      session.on('enquire_link', (pdu) => session.send(pdu.response()));
      session.on('unbind', (pdu) => session.send(pdu.response()));
      session.on('submit_sm', (pdu) => {
        submitted.push(pdu);
        session.send(pdu.response({ message_id: `id-${submitted.length}` }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const credentials = { address: `127.0.0.1:${port}`, username: 'ada', secret: 'fake' };
      await using context = openContext({ credentials, url: '' });
      const recipient = '+491512345678';
      for (const text of ['Price: 10 € [today] {@}', 'Grüße, Ψ and ñ', '日本語 🎉', LONG]) {
        submitted.length = 0;
        const message = outgoing({ recipient, text });
        const result = await resultOf(smpp, 'send', message, undefined, context);
        assert.deepEqual(result, { outcome: 'sent', id: `id-${submitted.length}` });
        assert.equal(submitted.map((pdu) => pdu.short_message.message).join(''), text);
        assert.ok(submitted.every((pdu) => pdu.destination_addr === recipient.slice(1)));
      }
      assert.equal(submitted.length, 3);
      assert.deepEqual(
        submitted.map(({ short_message: { udh } }) => udh?.[0]?.at(-1)),
        [1, 2, 3],
      );
    } finally {
      server.close();
    }
  });
});
