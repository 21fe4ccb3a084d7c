import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import { foldName, parseIrcLine } from './line.ts';

describe('a line of IRC', () => {
  it('a line of IRC has a sender, a command and parameters', () => {
    for (const [line, from, command, ...params] of [
      ['PING :a b\r\n', '', 'PING', 'a b'],
      [':irc.example 001 me :Welcome to it\r', 'irc.example', '001', 'me', 'Welcome to it'],
      [':bob!b@host PRIVMSG  #den  ::)', 'bob', 'PRIVMSG', '#den', ':)'],
      ['@time=1;a=:b :bob!b@host join #den', 'bob', 'JOIN', '#den'],
      [':irc.example 401 me bob :', 'irc.example', '401', 'me', 'bob', ''],
      ['QUIT', '', 'QUIT'],
      [':irc.example', 'irc.example', ''],
      ['', '', ''],
    ] as const) {
      const { tags: _, ...read } = parseIrcLine(line);
      assert.deepEqual(read, { from, command, params }, line);
    }
  });

  it('a line of IRC may have tags', () => {
    for (const [line, tags] of [
      ['PING a', []],
      ['@ PING a', [['', '']]],
      [
        '@msgid=a=b;time=2026-01-02T03:04:05.678Z;+draft/x :bob PING',
        [
          ['msgid', 'a=b'],
          ['time', '2026-01-02T03:04:05.678Z'],
          ['+draft/x', ''],
        ],
      ],
      ['@a=1\\:\\s\\\\\\r\\n\\b\\ PING', [['a', '1; \\\r\nb']]],
    ] as const) {
      assert.deepEqual([...parseIrcLine(line).tags], tags, line);
    }
  });

  it('a line of IRC is parsed without a fault, whatever it contains', () => {
    const strange = fc.array(fc.constantFrom(' ', ':', '@', '!', 'a', '1', '\0', '\r', 'é'));
    fc.assert(
      fc.property(strange, (parts) => {
        const { command, params } = parseIrcLine(parts.join(''));
        assert.ok(!command.includes(' '));
        for (const param of params.slice(0, -1)) assert.ok(!param.includes(' '));
      }),
    );
  });
});

it('compares names as IRC does', () => {
  assert.equal(foldName('#Den[]\\~'), foldName('#dEN{}|^'));
  assert.notEqual(foldName('#den'), foldName('#den_'));
});
