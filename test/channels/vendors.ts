import assert from 'node:assert/strict';

import type { Channel, Chat } from '../../src/channels/channel.ts';
import { findChannel } from '../../src/channels/index.ts';
import { openIrc } from '../emulators/irc.ts';
import { PASSWORD as SMTP, USER as SMTP_USER, openSmtp } from '../emulators/mail/smtp.ts';
import { ROOM, SECRET as NEXTCLOUD, openNextcloudTalk } from '../emulators/nextcloud-talk.ts';
import { LOGIN, PASSWORD as CALLR, openCallr } from '../emulators/sms/callr.ts';
import { KEY as MESSAGEBIRD, openMessageBird } from '../emulators/sms/messagebird.ts';
import { PASSWORD as SMPP, SYSTEM_ID, openSmpp } from '../emulators/sms/smpp.ts';
import { openXmpp } from '../emulators/xmpp.ts';
import { BRANCHES } from './image-channels.ts';

/** The emulator of a channel's vendor, with working credentials and a recipient. */
export interface Vendor {
  channel: Channel;
  open(): Promise<{ url: string; chat?: Chat; close(): Promise<void> }>;
  credentials(url: string): Record<string, string>;
  to: string;
  /** Whether the channel uploads files; otherwise the vendor fetches them. */
  uploads: boolean;
}

const vendor = (name: string, given: Omit<Vendor, 'channel' | 'uploads'>, uploads = false) => {
  const channel = findChannel(name);
  assert.ok(channel, name);
  return { channel, uploads, ...given };
};

/** The web chat has no vendor; this one keeps nothing. */
const CHAT: Chat = {
  post: (_, id) => Promise.resolve(id),
  update: () => Promise.resolve(true),
  file: () => Promise.resolve(undefined),
};

/** All channels that render messages. A receiver of whole activities has no limits. */
export const VENDORS: readonly Vendor[] = [
  vendor('nextcloud-talk', {
    open: openNextcloudTalk,
    credentials: (url) => ({ address: url, secret: NEXTCLOUD }),
    to: ROOM,
  }),
  ...BRANCHES.map(({ channel, by, ...rest }) => vendor(channel, rest, by === 'upload')),
  vendor('callr', {
    open: openCallr,
    credentials: () => ({ token: LOGIN, secret: CALLR, username: 'Acme' }),
    to: '+33123456789',
  }),
  vendor(
    'email',
    {
      open: openSmtp,
      credentials: (url) => ({ address: url, username: SMTP_USER, token: SMTP }),
      to: 'bob@example.net',
    },
    true,
  ),
  vendor('irc', {
    open: openIrc,
    credentials: (url) => ({ address: url, username: 'switch' }),
    to: 'bob',
  }),
  vendor('smpp', {
    open: openSmpp,
    credentials: (url) => ({ address: url, username: SYSTEM_ID, secret: SMPP }),
    to: '+491512345678',
  }),
  vendor('messagebird', {
    open: openMessageBird,
    credentials: () => ({ token: MESSAGEBIRD, username: 'Acme' }),
    to: '31612345678',
  }),
  vendor('webmessenger', {
    open: () => Promise.resolve({ url: '', chat: CHAT, close: () => Promise.resolve() }),
    credentials: () => ({}),
    to: 'visitor-7f3a',
  }),
  vendor('xmpp', {
    open: openXmpp,
    credentials: (url) => ({
      address: url,
      username: 'bot@example.org',
      token: 'not-a-secret-of-bot',
    }),
    to: 'bob@example.net',
  }),
].filter(({ channel }) => channel.renderers !== 'whole');
