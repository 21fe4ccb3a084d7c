import assert from 'node:assert/strict';
import { it } from 'node:test';

import { serveImap } from '../../src/sandbox/vendors/email/imap.ts';
import { email } from '../../src/sandbox/vendors/email/simulator.ts';
import { openDuplex } from '../../src/sandbox/wire/duplex.ts';
import { MemorySession } from '../emulators/server/memory-session.ts';
import { until } from '../support/until.ts';

it('a mailbox announces a mail that arrives during a search', async () => {
  const session = new MemorySession();
  const { phone } = session;
  const [client, server] = openDuplex();
  let said = '';
  client.on('data', (bytes: Buffer) => (said += bytes.toString()));
  serveImap(server, session, {});
  const ask = async (command: string, answer: RegExp) => {
    said = '';
    client.write(`${command}\r\n`);
    await until(command, () => answer.test(said));
  };
  await ask('A1 LOGIN any password', /^A1 OK/m);
  await ask('A2 EXAMINE INBOX', /^A2 OK/m);
  await ask('A3 NOOP', /^A3 OK/m);
  const [person] = email.people;
  const actionsAfter = phone.actionsAfter.bind(phone);
  phone.actionsAfter = async (number) => {
    phone.actionsAfter = actionsAfter;
    const found = await actionsAfter(number);
    const entry = { kind: 'message', text: 'Hello' } as const;
    const written = {
      number: 7,
      person: person.address,
      author: 'person',
      vendorId: '<7@sandbox.test>',
      createdAt: phone.now(),
      entry,
    } as const;
    phone.entries.push(written);
    await session.report({ kind: 'message', person, number: 8, entry: written });
    return found;
  };
  await ask('A4 UID SEARCH UID 1:*', /^A4 OK/m);
  assert.match(said, /^\* SEARCH\r$/m);
  await ask('A5 IDLE', /^\* 1 EXISTS\r$/m);
  client.destroy();
});
