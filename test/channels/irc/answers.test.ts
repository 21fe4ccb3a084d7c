import assert from 'node:assert/strict';

import { irc } from '../../../src/channels/irc/channel.ts';
import { type IrcAnswer, openIrc } from '../../emulators/irc.ts';
import { type Case, type Expected, type TestMessage, testChannel } from '../suite.ts';

/** Any failure. */
type Refused = Exclude<Expected, { outcome: 'sent' | 'known' }>;

/* Server replies and their outcomes; send.slow.test.ts uses a real server. */

const PASSWORD = 'not-a-secret-of-switch';

const failedSend = (
  code: string,
  target: string,
  text: string,
  outcome: Refused,
): Case<string, IrcAnswer> => ({
  it: `treats ${code} (${text}) as ${outcome.outcome}`,
  message: { recipient: target },
  answers: [{ to: 'PRIVMSG', says: [`:irc.example ${code} switch ${target} :${text}`] }],
  outcome: { ...outcome, code, detail: text },
});

const failedJoin = (code: string, text: string): Case<string, IrcAnswer> => ({
  it: `treats ${code} (${text}) on joining a channel as permanent`,
  message: { recipient: '#den' },
  answers: [{ to: 'JOIN', says: [`:irc.example ${code} switch #den :${text}`] }],
  outcome: { outcome: 'permanent', blame: 'recipient', code, detail: text },
  also: assertNothingSent,
});

const disconnect = (text: string, outcome: Refused): Case<string, IrcAnswer> => ({
  it: `treats "${text}" as ${outcome.outcome}`,
  answers: [{ to: 'USER', endsWith: `ERROR :${text}` }],
  outcome: { ...outcome, code: 'ERROR', detail: text },
  also: assertNothingSent,
});

function assertNothingSent(seen: readonly string[]): void {
  const sentLines = seen.filter((line) => line.startsWith('PRIVMSG'));
  if (sentLines.length > 0) throw new Error(`it sent ${sentLines.join()}`);
}

const markdown = (text: string) => ({ text, object: { mediaType: 'text/markdown' } });

const sendsLines = (
  what: string,
  message: Partial<TestMessage>,
  lines: readonly string[],
): Case<string, IrcAnswer> => ({
  it: `sends ${what}`,
  message,
  outcome: { outcome: 'sent' },
  also: (seen) => {
    const sentLines = seen.filter((line) => line.startsWith('PRIVMSG'));
    assert.deepEqual(
      sentLines,
      lines.map((line) => `PRIVMSG bob :${line}`),
    );
  },
});

const recipient: Refused = { outcome: 'permanent', blame: 'recipient' };
const content: Refused = { outcome: 'permanent', blame: 'content' };
const wrong: Refused = { outcome: 'permanent', blame: 'credentials' };
const limited: Refused = { outcome: 'limited', scope: 'integration' };
const notSent: Refused = { outcome: 'transient', maybeSent: false };
const maybeSent: Refused = { outcome: 'transient', maybeSent: true };

testChannel(irc, {
  open: openIrc,
  credentials: ({ url }) => ({ address: url, username: 'switch' }),
  recipient: 'bob',
  cases: [
    {
      it: 'sends a notice',
      message: { options: { notice: true } },
      outcome: { outcome: 'sent' },
      also: (seen) => {
        assert.ok(seen.includes('NOTICE bob :Good morning!'));
        assertNothingSent(seen);
      },
    },
    {
      it: 'registers, sends its line and confirms it with PING',
      outcome: { outcome: 'sent' },
      sees: [
        'CAP LS 302',
        'NICK switch',
        'USER switch 0 * switch',
        'PRIVMSG bob :Good morning!',
        'PING :switchboard-1',
      ],
    },
    sendsLines('formatted Markdown', markdown('**b** *i* ~~s~~ `c` [l](https://a.example/)'), [
      '\u0002b\u0002 \u001di\u001d \u001es\u001e \u0011c\u0011 l (https://a.example/)',
    ]),
    sendsLines(
      'formatted HTML, line by line',
      { text: '<b>a<br>b</b><pre>1\n2</pre>', object: { mediaType: 'text/html' } },
      ['\u0002a\u0002', '\u0002b\u0002', '\u00111\u0011', '\u00112\u0011'],
    ),
    sendsLines('a text without its control codes', { text: 'a\u0002b\u000304,05c\u001f' }, [
      'ab04,05c',
    ]),
    sendsLines(
      'the beginning of an overlong address',
      markdown(`[l](https://a.example/${'x'.repeat(400)})`),
      [`l (https://a.example/${'x'.repeat(232)}…)`],
    ),
    sendsLines('a line of the maximum length', { text: 'é'.repeat(175) }, ['é'.repeat(175)]),
    sendsLines('the rest of a longer line as another line', { text: 'é'.repeat(176) }, [
      'é'.repeat(175),
      'é',
    ]),
    sendsLines(
      'media as links, a place as text and buttons as a list',
      {
        text: 'Look',
        object: {
          attachment: [
            { type: 'Image', url: 'https://example.com/a.png', name: 'a' },
            { type: 'Place', latitude: 1, longitude: 2 },
            { type: 'Button', name: 'Yes' },
          ],
        },
      },
      [
        'Look',
        'a: https://example.com/a.png',
        '1, 2',
        'https://www.openstreetmap.org/?mlat=1&mlon=2',
        '1. Yes',
      ],
    ),
    {
      it: 'check: accepts its nick and sends nothing',
      calls: 'check',
      outcome: { outcome: 'known', as: 'switch' },
      also: assertNothingSent,
    },
    {
      it: 'sends PASS before NICK',
      credentials: { token: PASSWORD },
      outcome: { outcome: 'sent' },
      sees: [
        'CAP LS 302',
        `PASS ${PASSWORD}`,
        'NICK switch',
        'USER switch 0 * switch',
        'PRIVMSG bob :Good morning!',
        'PING :switchboard-1',
      ],
    },
    {
      it: 'logs in with SASL when the server offers it',
      credentials: { token: PASSWORD },
      answers: [
        { to: 'CAP', says: [':irc.example CAP * LS :sasl=PLAIN,EXTERNAL'] },
        { to: 'USER', says: [] },
        { to: 'CAP', says: [':irc.example CAP * ACK :sasl'] },
        { to: 'AUTHENTICATE', says: ['AUTHENTICATE +'] },
        { to: 'AUTHENTICATE', says: [':irc.example 900 * * switch :You are now logged in'] },
        { to: 'CAP', says: [':irc.example 001 switch :Welcome'] },
      ],
      outcome: { outcome: 'sent' },
      also: (seen) => {
        const login = Buffer.from(`switch\0switch\0${PASSWORD}`).toString('base64');
        if (!seen.includes(`AUTHENTICATE ${login}`)) throw new Error(seen.join('\n'));
      },
    },
    {
      it: 'blames the credentials when the login is refused',
      credentials: { token: PASSWORD },
      answers: [
        { to: 'CAP', says: [':irc.example CAP * LS :sasl'] },
        { to: 'USER', says: [] },
        { to: 'CAP', says: [':irc.example CAP * ACK :sasl'] },
        { to: 'AUTHENTICATE', says: [':irc.example 904 switch :SASL authentication failed'] },
      ],
      outcome: { ...wrong, code: '904', detail: 'SASL' },
      also: assertNothingSent,
    },
    {
      it: 'blames the credentials when the nick is refused',
      answers: [{ to: 'USER', says: [':irc.example 432 * switch :Erroneous nickname'] }],
      outcome: { ...wrong, code: '432' },
    },
    {
      it: 'tries a limited number of other nicks when its own is in use',
      answers: Array.from({ length: 6 }, () => ({
        to: 'NICK',
        says: [':irc.example 433 * switch :Nickname is already in use'],
      })).concat({ to: 'USER', says: [] }),
      outcome: { ...notSent, code: '433' },
      sees: [
        'CAP LS 302',
        'NICK switch',
        'USER switch 0 * switch',
        'NICK switch_',
        'NICK switch__',
        'NICK switch_2',
        'NICK switch_3',
      ],
    },
    {
      it: 'keeps other nicks as short as its own and retries when they are refused',
      credentials: { username: 'switchboard-of-ada' },
      answers: [
        { to: 'NICK', says: [':irc.example 433 * switchboard-of-ada :Nickname is already in use'] },
        { to: 'NICK', says: [':irc.example 432 * switchboard-of-ad_ :Erroneous nickname'] },
        { to: 'NICK', says: [':irc.example 432 * switchboard-of-a__ :Erroneous nickname'] },
        { to: 'NICK', says: [':irc.example 432 * switchboard-of-a_2 :Erroneous nickname'] },
        { to: 'NICK', says: [':irc.example 432 * switchboard-of-a_3 :Erroneous nickname'] },
        { to: 'USER', says: [] },
      ],
      outcome: { ...notSent, code: '433' },
      also: (seen) =>
        assert.deepEqual(
          seen.filter((line) => line.startsWith('NICK')),
          ['ada', 'ad_', 'a__', 'a_2', 'a_3'].map((end) => `NICK switchboard-of-${end}`),
        ),
    },
    failedSend('401', 'bob', 'No such nick or channel name', recipient),
    failedSend('404', '#den', 'Cannot send to channel (+m)', recipient),
    failedSend('477', 'BOB', 'You need to be identified to a registered account', recipient),
    failedSend('482', '#den', "You're not channel operator", recipient),
    failedSend('489', '#den', 'Only voiced users may speak', recipient),
    failedSend('531', 'bob', 'You cannot send to users who have user mode +g set', recipient),
    failedSend('716', 'bob', 'is in +g mode (server-side ignore.)', recipient),
    failedSend('408', '#den', 'You cannot use colors on this channel', content),
    failedSend('437', '#den', 'Channel is temporarily unavailable', notSent),
    failedSend('707', 'bob', 'Targets changing too fast, message dropped', limited),
    failedSend('439', 'bob', 'Target change too fast. Please wait 104 seconds.', {
      ...limited,
      seconds: 104,
    }),
    failedJoin('403', 'No such channel'),
    failedJoin('405', 'You have joined too many channels'),
    failedJoin('471', 'Cannot join channel (+l)'),
    failedJoin('473', 'Cannot join channel (+i)'),
    failedJoin('474', 'Cannot join channel (+b)'),
    failedJoin('475', 'Cannot join channel (+k)'),
    failedJoin('477', 'Cannot join channel (+r)'),
    {
      it: 'retries when it is kicked from a channel while sending',
      message: { recipient: '#den' },
      answers: [
        {
          to: 'PRIVMSG',
          says: [
            ':eve!e@host KICK #den switch :Out',
            ':irc.example 404 switch #den :Cannot send to channel',
          ],
        },
      ],
      outcome: { ...notSent, detail: 'Cannot send' },
    },
    {
      it: 'ignores errors about other recipients, and away messages',
      answers: [
        {
          to: 'PRIVMSG',
          says: [
            ':irc.example 401 switch alice :No such nick',
            ':irc.example 301 switch bob :Lunch',
          ],
        },
      ],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'ignores server replies quoted by a user',
      answers: [
        { to: 'PRIVMSG', says: [':eve!e@host PRIVMSG switch ::irc.example 401 switch bob :no'] },
      ],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'answers PING',
      answers: [
        { to: 'PRIVMSG', says: ['PING :are-you-there'] },
        { to: 'PING', says: [] },
        { to: 'PONG', says: [':irc.example PONG irc.example :switchboard-1'] },
      ],
      outcome: { outcome: 'sent' },
    },
    disconnect('Closing Link: switch[127.0.0.1] (Throttled: Reconnecting too fast)', limited),
    disconnect('Closing Link: 127.0.0.1 (K-Lined)', wrong),
    disconnect('Closing Link: 127.0.0.1 (You are banned from this server)', wrong),
    disconnect('Closing Link: 127.0.0.1 (Server shutting down)', notSent),
    {
      it: 'blames the credentials when the server requires a password',
      answers: [{ to: 'USER', says: [':irc.example 464 * :Password incorrect', 'ERROR :Bye'] }],
      outcome: { ...wrong, code: '464', detail: 'Password incorrect' },
    },
    {
      it: 'the message may have been sent when the server disconnects it for flooding',
      answers: [{ to: 'PRIVMSG', endsWith: 'ERROR :Closing Link: (Excess Flood)' }],
      outcome: { ...maybeSent, code: 'ERROR', detail: 'Excess Flood' },
    },
    {
      it: 'the message may have been sent when the connection ends after the line',
      answers: [{ to: 'PRIVMSG', does: 'reset' }],
      outcome: maybeSent,
    },
    {
      it: 'the message was not sent when the connection ends before the line',
      message: { recipient: '#den' },
      answers: [{ to: 'JOIN', does: 'reset' }],
      outcome: notSent,
    },
    {
      it: 'times out when the server sends no welcome',
      answers: [{ to: 'USER', does: 'hang' }],
      timeoutMs: 100,
      outcome: { ...notSent, detail: 'in time' },
    },
    {
      it: 'times out when the server stops answering after the message',
      answers: [{ to: 'PRIVMSG', does: 'hang' }],
      timeoutMs: 2000,
      outcome: { ...maybeSent, detail: 'in time' },
    },
    ...[
      ['CAP'],
      [':'],
      ['@time=x :irc.example 005 switch PREFIX CHANTYPES CHANMODES CLIENTTAGDENY'],
      [':irc.example 900', ':irc.example 353', ':irc.example MODE', ':irc.example BATCH'],
      ['\u0000\u0001\u0002', ' ', ':a!b@c PRIVMSG switch :\u0001VERSION\u0001'],
    ].map((says): Case<string, IrcAnswer> => ({
      it: `survives ${JSON.stringify(says)}`,
      answers: [{ to: 'USER', says: [...says, ':irc.example 001 switch :Welcome'] }],
      timeoutMs: 2000,
      outcome: { outcome: 'sent' },
    })),
    ...[
      'irc.example.org:99999',
      'https://irc.example.org',
      'a b:6667',
      '',
      'irc.example.org:6667+ssl',
    ].map((address): Case<string, IrcAnswer> => ({
      it: `refuses ${JSON.stringify(address)} as a server`,
      credentials: { address },
      outcome: { ...wrong, detail: 'address must' },
    })),
    ...['', '#den', 'a b', 'a\r\nQUIT', '1st', 'a!b@c'].map(
      (username): Case<string, IrcAnswer> => ({
        it: `refuses ${JSON.stringify(username)} as a nick`,
        credentials: { username },
        outcome: { ...wrong, detail: 'username must' },
        sees: [],
      }),
    ),
    {
      it: 'refuses a password with a line break',
      credentials: { token: 'not-a-secret\r\nQUIT' },
      outcome: { ...wrong, detail: 'token must' },
      sees: [],
    },
    {
      it: 'refuses a name that leaves no space for a text',
      message: { recipient: `#${'x'.repeat(199)}`, text: 'x'.repeat(350) },
      outcome: { ...recipient, detail: 'too long' },
      sees: [],
    },
    {
      it: 'sends nothing for an empty message',
      message: { text: '\u0001\r\n' },
      outcome: content,
      sees: [],
    },
  ],
});
