import { callr } from './callr/channel.ts';
import type { Channel } from './channel.ts';
import { discord } from './discord/channel.ts';
import { email } from './email/channel.ts';
import { googleChat } from './google-chat/channel.ts';
import { gotify } from './gotify.ts';
import { groupme } from './groupme/channel.ts';
import { instagram } from './instagram.ts';
import { irc } from './irc/channel.ts';
import { line } from './line/channel.ts';
import { matrix } from './matrix/channel.ts';
import { mattermost } from './mattermost/channel.ts';
import { messagebird } from './messagebird/channel.ts';
import { messenger } from './messenger.ts';
import { msTeams } from './ms-teams/channel.ts';
import { nextcloudTalk } from './nextcloud-talk/channel.ts';
import { ntfy } from './ntfy.ts';
import { pushover } from './pushover.ts';
import { rocketchat } from './rocketchat/channel.ts';
import { signal } from './signal/channel.ts';
import { slack } from './slack/channel.ts';
import { smpp } from './smpp/channel.ts';
import { telegram } from './telegram/channel.ts';
import { twilio } from './twilio/channel.ts';
import { twitter } from './twitter/channel.ts';
import { viber } from './viber/channel.ts';
import { vonage } from './vonage/channel.ts';
import { webex } from './webex/channel.ts';
import { webhook } from './webhook/channel.ts';
import { webmessenger } from './webmessenger.ts';
import { webpush } from './webpush/channel.ts';
import { wechat } from './wechat/channel.ts';
import { whatsapp } from './whatsapp/channel.ts';
import { xmpp } from './xmpp/channel.ts';
import { zulip } from './zulip/channel.ts';

export const CHANNELS: readonly Channel[] = [
  callr,
  discord,
  email,
  googleChat,
  gotify,
  groupme,
  instagram,
  irc,
  line,
  matrix,
  mattermost,
  messagebird,
  messenger,
  msTeams,
  nextcloudTalk,
  ntfy,
  pushover,
  rocketchat,
  signal,
  slack,
  smpp,
  telegram,
  twilio,
  twitter,
  viber,
  vonage,
  webex,
  webhook,
  webmessenger,
  webpush,
  wechat,
  whatsapp,
  xmpp,
  zulip,
];

export const CHANNEL_NAMES: readonly string[] = CHANNELS.map((channel) => channel.name).toSorted();

/** Channels whose vendor has shut down, and the replacement. */
export const RETIRED: ReadonlyMap<string, string> = new Map([
  ['flowdock', 'Flowdock shut down in 2022; use slack, mattermost or zulip instead.'],
  ['kik', 'Kik accepts no new bots; use telegram, messenger or webmessenger instead.'],
]);

const BY_NAME: ReadonlyMap<string, Channel> = new Map(
  CHANNELS.flatMap((channel) =>
    [channel.name, ...(channel.aliases ?? [])].map((name) => [name, channel] as const),
  ),
);

/** Finds a channel by name or alias, case-insensitive. */
export function findChannel(name: string): Channel | undefined {
  return BY_NAME.get(name.trim().toLowerCase());
}
