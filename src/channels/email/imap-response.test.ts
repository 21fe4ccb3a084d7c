import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { cpuMs } from '../../../test/support/cpu.ts';
import { fc } from '../../../test/support/fast-check.ts';
import { ImapReader, type ImapResponse, valuesIn } from './imap-response.ts';

const mail = Buffer.from('Subject: {3}\r\n\r\n)"é\r\n');
const WHOLE = Buffer.concat([
  Buffer.from('* 1 EXISTS\r\n* 1 FETCH (UID 7 FLAGS (\\Seen) BODY[] {'),
  Buffer.from(`${mail.length}}\r\n`),
  mail,
  Buffer.from(' INTERNALDATE " 1-Jul-2026 \\"x\\\\" NAME NIL)\r\nA1 OK [X {] {3 done\r\n'),
]);
const TEXTS = [
  '* 1 EXISTS',
  `* 1 FETCH (UID 7 FLAGS (\\Seen) BODY[] {${mail.length}}\n INTERNALDATE " 1-Jul-2026 \\"x\\\\" NAME NIL)`,
  'A1 OK [X {] {3 done',
];

function read(pieces: readonly Buffer[]): ImapResponse[] {
  const reader = new ImapReader(1000);
  const found = pieces.flatMap((piece) => reader.push(piece) ?? assert.fail('too much'));
  assert.ok(reader.isEmpty);
  return found;
}

describe('IMAP responses', () => {
  it('IMAP responses are parsed independently of the chunks in which they arrive', () => {
    const expected = read([WHOLE]);
    assert.deepEqual(
      expected.map(({ text }) => text),
      TEXTS,
    );
    assert.deepEqual(expected[1]?.literals, [mail]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: WHOLE.length })), (cuts) => {
        const ends = [...new Set([...cuts, WHOLE.length])].toSorted((a, b) => a - b);
        const pieces = ends.map((end, i) => WHOLE.subarray(i === 0 ? 0 : ends[i - 1], end));
        assert.deepEqual(read(pieces), expected);
      }),
    );
  });

  it('IMAP responses contain values, lists and bytes', () => {
    const [, fetched] = read([WHOLE]);
    assert.ok(fetched);
    assert.deepEqual(valuesIn(fetched), [
      '*',
      '1',
      'FETCH',
      [
        'UID',
        '7',
        'FLAGS',
        ['\\Seen'],
        'BODY[]',
        mail,
        'INTERNALDATE',
        ' 1-Jul-2026 "x\\',
        'NAME',
        null,
      ],
    ]);
  });

  it('IMAP responses are parsed without a fault for any input, within limits', () => {
    const strange = fc.array(fc.constantFrom('(', ')', '"', '{', '1', '}', '\\', ' ', 'a', '\r\n'));
    fc.assert(
      fc.property(strange, (parts) => {
        const reader = new ImapReader(5);
        const found = reader.push(Buffer.from(parts.join('')));
        for (const response of found ?? []) valuesIn(response);
      }),
    );
    assert.equal(new ImapReader(5).push(Buffer.from('* {6}\r\n')), undefined);
    assert.equal(new ImapReader(5).push(Buffer.from('* {3}\r\nabc {3}\r\n')), undefined);
    assert.deepEqual(new ImapReader(6).push(Buffer.from('* {6}\r\n')), []);
    const endless = new ImapReader(5);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let chunks = 0;
    while (endless.push(chunk) && chunks < 100) chunks++;
    assert.equal(chunks, 16);
  });
  it('IMAP responses with strings that do not end are parsed in linear time', () => {
    for (const text of [
      `"${String.raw`\"`.repeat(50_000)}`,
      '"\\'.repeat(50_000),
      '"'.repeat(99_999),
    ]) {
      const elapsedMs = cpuMs(() => valuesIn({ text, literals: [] }));
      // Takes a few ms; quadratic time would be 20 seconds.
      assert.ok(elapsedMs < 3000, `${elapsedMs} ms`);
    }
  });
});
