import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { describe, it } from 'node:test';

import { smpp } from '../../../src/channels/smpp/channel.ts';
import { until } from '../../support/until.ts';
import { listenTo, withoutKeys } from '../listening.ts';
import { openContext, outgoing, resultOf } from '../suite.ts';

/* An independent SMPP server, the npm package smpp, reads what we send and writes what we receive. */

interface SubmittedPdu {
  source_addr: string;
  source_addr_ton: number;
  destination_addr: string;
  data_coding: number;
  esm_class: number;
  priority_flag: number;
  registered_delivery: number;
  validity_period: Date | '';
  short_message: { message: string; udh?: readonly Buffer[] };
  response(fields?: object): object;
}

interface SmppServerSession {
  on(event: 'error' | 'close', listener: () => void): void;
  on(event: string, listener: (pdu: SubmittedPdu) => void): void;
  send(pdu: object): void;
  deliver_sm(fields: object, onResponse: (pdu: { command_status: number }) => void): void;
  close(): void;
}

const { createServer } = createRequire(import.meta.url)('smpp') as {
  createServer(listener: (session: SmppServerSession) => void): Server;
};

const LONG = 'Long texts are sent in segments with the same reference. '.repeat(6).trim();
const recipient = '+491512345678';

async function open() {
  const submitted: SubmittedPdu[] = [];
  const sessions: SmppServerSession[] = [];
  const server = createServer((session) => {
    session.on('error', () => {});
    session.on('bind_transceiver', (pdu) => {
      sessions.push(session);
      session.send(pdu.response());
    });
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
  const credentials = { address: `127.0.0.1:${port}`, username: 'ada', secret: 'fake' };
  const context = openContext({ credentials, url: '' });
  return {
    context,
    submitted,
    sessions,
    /** Sends to the application; resolves with the status of the response. */
    deliver: (fields: object) =>
      new Promise<number>((resolve) => {
        const pdu = { source_addr: recipient.slice(1), source_addr_ton: 1, ...fields };
        sessions.at(-1)?.deliver_sm(pdu, ({ command_status }) => resolve(command_status));
      }),
    async [Symbol.asyncDispose]() {
      await context[Symbol.asyncDispose]();
      server.close();
    },
  };
}

describe('smpp with the server of the npm package smpp', () => {
  it('smpp is read as it was written, in both alphabets and in segments', async () => {
    await using server = await open();
    const { context, submitted } = server;
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
  });

  it('smpp options are read as they were written', async () => {
    await using server = await open();
    const { context, submitted } = server;
    const options = { source_address: 'ACME', ttl: 3600, priority: 2, flash: true };
    for (const text of ['Grüße', '日本語']) {
      const message = outgoing({ recipient, text, options });
      const before = Date.now();
      await resultOf(smpp, 'send', message, undefined, context);
      const pdu = submitted.at(-1);
      assert.ok(pdu);
      assert.equal(pdu.short_message.message, text);
      assert.deepEqual(
        [pdu.source_addr_ton, pdu.source_addr, pdu.priority_flag, pdu.registered_delivery],
        [5, 'ACME', 2, 1],
      );
      const seconds = (Number(pdu.validity_period) - before) / 1000;
      assert.ok(seconds > 3599 && seconds < 3660, `${seconds} s`);
    }
  });

  it('smpp receives receipts and messages, and binds again after the server ended the session', async () => {
    await using server = await open();
    const { context, sessions, deliver } = server;
    await using listener = listenTo(smpp, context);
    await until('the bind', () => sessions.length > 0);
    const sent = await resultOf(smpp, 'send', outgoing({ recipient }), undefined, context);
    assert.partialDeepStrictEqual(sent, { outcome: 'sent', id: 'id-1' });
    const receipt = 'id:id-1 sub:001 dlvrd:001 stat:DELIVRD err:000 text:Good';
    assert.equal(await deliver({ esm_class: 4, short_message: receipt }), 0);
    const named = { receipted_message_id: 'id-1', message_state: 5, short_message: '' };
    assert.equal(await deliver({ esm_class: 4, ...named }), 0);
    for (const short_message of ['Price: 10 €', '日本語']) {
      assert.equal(await deliver({ short_message }), 0);
    }
    assert.deepEqual(withoutKeys(await listener.waitFor(4)), [
      { what: 'receipt', id: 'id-1', state: 'delivered' },
      { what: 'receipt', id: 'id-1', state: 'failed', detail: 'UNDELIV' },
      { what: 'message', from: { id: recipient }, text: 'Price: 10 €' },
      { what: 'message', from: { id: recipient }, text: '日本語' },
    ]);
    sessions.at(-1)?.close();
    assert.partialDeepStrictEqual(await listener.ended, { outcome: 'transient' });
    const again = await resultOf(smpp, 'send', outgoing({ recipient }), undefined, context);
    assert.partialDeepStrictEqual(again, { outcome: 'sent', id: 'id-2' });
    assert.equal(sessions.length, 2);
  });
});
