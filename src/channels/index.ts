import { callr } from './callr.ts';
import type { Channel } from './channel.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { googleChat } from './google-chat.ts';
import { gotify } from './gotify.ts';
import { groupme } from './groupme.ts';
import { instagram } from './instagram.ts';
import { irc } from './irc.ts';
import { line } from './line.ts';
import { matrix } from './matrix.ts';
import { mattermost } from './mattermost.ts';
import { messagebird } from './messagebird.ts';
import { messenger } from './messenger.ts';
import { msTeams } from './ms-teams.ts';
import { ntfy } from './ntfy.ts';
import { rocketchat } from './rocketchat.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { twilio } from './twilio.ts';
import { twitter } from './twitter.ts';
import { viber } from './viber.ts';
import { vonage } from './vonage.ts';
import { webhook } from './webhook.ts';
import { webmessenger } from './webmessenger.ts';
import { wechat } from './wechat.ts';
import { whatsapp } from './whatsapp.ts';
import { xmpp } from './xmpp.ts';
import { zulip } from './zulip.ts';

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
  ntfy,
  rocketchat,
  slack,
  telegram,
  twilio,
  twitter,
  viber,
  vonage,
  webhook,
  webmessenger,
  wechat,
  whatsapp,
  xmpp,
  zulip,
];

export const CHANNEL_NAMES: readonly string[] = CHANNELS.map((channel) => channel.name).toSorted();

/** Channels whose vendor has shut down, and the replacement. */
export const RETIRED: ReadonlyMap<string, string> = new Map([
  ['flowdock', 'Flowdock shut down in 2022; use slack, mattermost or zulip instead.'],
  ['kik', 'Kik takes no new bots; use telegram, messenger or webmessenger instead.'],
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
