/*
 * What each channel is verified against, and when that was last checked. `npm run docs` writes it into the pages; test/docs/judges.test.ts holds that
 * every channel has an entry, that the tests exist, and that they name their judge.
 */

export type JudgeKind =
  | 'real server'
  | 'real browser'
  | "vendor's package"
  | "vendor's OpenAPI"
  | "vendor's example"
  | 'third-party package'
  | 'our emulator';

export interface Judge {
  kind: JudgeKind;
  /** Name and version; of an emulator, the pages that it is based on. */
  name: string;
  /** What it verifies. */
  scope: string;
  /** Day of the last run; of an emulator, the day it was last compared with the vendor's pages. */
  date: string;
  /** The test that runs it, which mentions `mention`. */
  test: { file: string; mention: string };
}

const REQUESTS = 'requests and responses';

/** An emulator of ours, as strict as the vendor's pages or stricter. */
function emulator(tested: string, date: string, pages: string, scope = REQUESTS): Judge {
  const test = { file: `test/channels/${tested}.test.ts`, mention: 'emulators/' };
  return { kind: 'our emulator', name: pages, scope, date, test };
}

export const JUDGES: Readonly<Record<string, readonly Judge[]>> = {
  callr: [emulator('callr/send', '2026-11-15', 'callr.com/docs')],
  discord: [
    emulator('discord/send', '2026-11-15', 'docs.discord.com'),
    {
      kind: 'third-party package',
      name: 'discord-markdown 2.5.1',
      scope: 'plain text as it is shown',
      date: '2026-11-17',
      test: { file: 'test/channels/rendering.slow.test.ts', mention: 'discord-markdown' },
    },
  ],
  email: [
    {
      kind: 'real server',
      name: 'Dovecot 2.3.19',
      scope: 'receiving by IMAP',
      date: '2026-11-17',
      test: { file: 'test/channels/email/imap.test.ts', mention: 'startDovecot' },
    },
    {
      kind: 'third-party package',
      name: 'smtp-server 3.21.1',
      scope: 'sending by SMTP',
      date: '2026-11-17',
      test: { file: 'test/emulators/mail/smtp.ts', mention: 'smtp-server' },
    },
  ],
  'google-chat': [
    emulator('google-chat/send', '2026-11-17', 'developers.google.com/workspace/chat'),
    {
      kind: 'third-party package',
      name: 'markdown-it 15.0.3 (CommonMark)',
      scope: 'plain text as it is shown',
      date: '2026-11-17',
      test: { file: 'test/channels/rendering.slow.test.ts', mention: 'commonmark' },
    },
  ],
  gotify: [emulator('gotify/send', '2026-11-15', 'gotify.net/api-docs')],
  groupme: [emulator('groupme/send', '2026-11-15', 'dev.groupme.com/docs/v3')],
  instagram: [emulator('instagram/send', '2026-11-15', 'developers.facebook.com')],
  irc: [
    {
      kind: 'real server',
      name: 'ngIRCd 26.1',
      scope: 'sending and receiving',
      date: '2026-11-17',
      test: { file: 'test/channels/irc/send.slow.test.ts', mention: 'ngircd' },
    },
  ],
  line: [emulator('line/send', '2026-11-17', 'developers.line.biz')],
  matrix: [emulator('matrix/send', '2026-11-15', 'spec.matrix.org')],
  mattermost: [emulator('mattermost/send', '2026-11-15', 'developers.mattermost.com')],
  messagebird: [
    emulator('messagebird/send', '2026-11-17', 'developers.messagebird.com', 'the classic API'),
    emulator('messagebird/bird', '2026-11-17', 'docs.bird.com', 'the API of Bird'),
  ],
  messenger: [emulator('messenger/send', '2026-11-17', 'developers.facebook.com')],
  'ms-teams': [
    {
      kind: "vendor's package",
      name: '@microsoft/m365agentsplayground 0.2.28',
      scope: 'sending and editing',
      date: '2026-11-17',
      test: { file: 'test/judges/teams.slow.test.ts', mention: 'm365agentsplayground' },
    },
    emulator('ms-teams/send', '2026-11-17', 'learn.microsoft.com'),
  ],
  'nextcloud-talk': [
    emulator('nextcloud-talk/send', '2026-11-17', 'nextcloud-talk.readthedocs.io'),
  ],
  ntfy: [emulator('ntfy/send', '2026-11-17', 'docs.ntfy.sh')],
  pushover: [emulator('pushover/send', '2026-11-17', 'pushover.net/api')],
  rocketchat: [
    emulator('rocketchat/send', '2026-11-15', 'developer.rocket.chat'),
    {
      kind: "vendor's package",
      name: '@rocket.chat/message-parser 0.32.0',
      scope: 'plain text as it is shown',
      date: '2026-11-17',
      test: {
        file: 'test/channels/rendering.slow.test.ts',
        mention: '@rocket.chat/message-parser',
      },
    },
  ],
  signal: [
    emulator(
      'signal/send',
      '2026-11-17',
      'man pages and sources of signal-cli 0.14.6',
      'requests and responses; no real signal-cli was used',
    ),
  ],
  slack: [
    emulator('slack/send', '2026-11-15', 'docs.slack.dev'),
    {
      kind: "vendor's example",
      name: 'docs.slack.dev',
      scope: 'the signature of webhooks',
      date: '2026-11-15',
      test: { file: 'test/channels/slack/hook.test.ts', mention: 'judged by its own example' },
    },
  ],
  smpp: [
    emulator('smpp/send', '2026-11-17', 'SMPP 3.4, Issue 1.2', 'sending'),
    emulator('smpp/listening', '2026-11-17', 'SMPP 3.4, Issue 1.2', 'receiving'),
    {
      kind: 'third-party package',
      name: 'smpp 0.5.1',
      scope: 'both alphabets, segments, options, receipts, received messages and a second bind',
      date: '2026-11-18',
      test: { file: 'test/channels/smpp/judge.test.ts', mention: "('smpp')" },
    },
  ],
  telegram: [emulator('telegram/send', '2026-11-15', 'core.telegram.org/bots/api')],
  twilio: [emulator('twilio/send', '2026-11-17', 'twilio.com/docs')],
  twitter: [emulator('twitter/send', '2026-11-15', 'docs.x.com')],
  viber: [emulator('viber/send', '2026-11-15', 'creators.viber.com')],
  vonage: [emulator('vonage/send', '2026-11-17', 'developer.vonage.com')],
  webex: [emulator('webex/send', '2026-11-17', 'developer.webex.com')],
  webhook: [
    {
      kind: "vendor's package",
      name: 'standardwebhooks 1.1.1',
      scope: 'signatures, in both directions',
      date: '2026-11-17',
      test: { file: 'test/channels/webhook/hook.test.ts', mention: 'standardwebhooks' },
    },
  ],
  webmessenger: [
    {
      kind: 'real browser',
      name: 'Chromium',
      scope: 'the chat of visitors',
      date: '2026-11-17',
      test: { file: 'test/chat/page.slow.test.ts', mention: 'playwright' },
    },
  ],
  webpush: [
    {
      kind: "vendor's example",
      name: 'RFC 8291, appendix A',
      scope: 'the encryption, to the byte',
      date: '2026-11-17',
      test: { file: 'test/channels/webpush/encryption.test.ts', mention: 'RFC 8291' },
    },
    {
      kind: 'third-party package',
      name: 'jose 6.2.17',
      scope: 'the VAPID token',
      date: '2026-11-17',
      test: { file: 'src/sandbox/vendors/webpush/push-service.ts', mention: 'jose' },
    },
    emulator('webpush/send', '2026-11-17', 'RFC 8030, 8188, 8291 and 8292'),
  ],
  wechat: [emulator('wechat/send', '2026-11-17', 'developers.weixin.qq.com')],
  whatsapp: [emulator('whatsapp/send', '2026-11-15', 'developers.facebook.com')],
  xmpp: [
    {
      kind: 'real server',
      name: 'Prosody 0.12.3',
      scope: 'sending and receiving',
      date: '2026-11-17',
      test: { file: 'test/channels/xmpp/send.slow.test.ts', mention: 'prosody' },
    },
  ],
  zulip: [emulator('zulip/send', '2026-11-15', 'zulip.com/api')],
};

const inWords = ({ kind, name }: Judge) => (kind === 'our emulator' ? kind : `${kind}: ${name}`);

/** In one cell of a table. */
export function judgesInBrief(channel: string): { judges: string; date: string } {
  const judges = JUDGES[channel] ?? [];
  const isAlone = judges.every(({ kind }) => kind === 'our emulator');
  const dates = judges.map(({ date }) => date).toSorted();
  return {
    judges: isAlone ? 'our emulator only' : [...new Set(judges.map(inWords))].join('; '),
    date: dates.at(-1) ?? '',
  };
}
