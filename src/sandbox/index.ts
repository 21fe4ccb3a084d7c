import type { Simulator } from './simulator.ts';

/* The simulators, by channel. Each is loaded on first use: an unused one costs nothing. */

const LOADERS: Readonly<Record<string, () => Promise<Simulator>>> = {
  callr: async () => (await import('./vendors/sms/callr.ts')).callr,
  discord: async () => (await import('./vendors/discord/simulator.ts')).discord,
  email: async () => (await import('./vendors/email/simulator.ts')).email,
  'google-chat': async () => (await import('./vendors/team/google-chat.ts')).googleChat,
  gotify: async () => (await import('./vendors/push/gotify.ts')).gotify,
  groupme: async () => (await import('./vendors/team/groupme.ts')).groupme,
  instagram: async () => (await import('./vendors/meta/instagram.ts')).instagram,
  irc: async () => (await import('./vendors/irc/simulator.ts')).irc,
  line: async () => (await import('./vendors/line/simulator.ts')).line,
  matrix: async () => (await import('./vendors/matrix/simulator.ts')).matrix,
  mattermost: async () => (await import('./vendors/team/mattermost.ts')).mattermost,
  messagebird: async () => (await import('./vendors/sms/messagebird.ts')).messagebird,
  messenger: async () => (await import('./vendors/meta/messenger.ts')).messenger,
  'ms-teams': async () => (await import('./vendors/team/ms-teams.ts')).msTeams,
  'nextcloud-talk': async () => (await import('./vendors/team/nextcloud-talk.ts')).nextcloudTalk,
  ntfy: async () => (await import('./vendors/push/ntfy.ts')).ntfy,
  pushover: async () => (await import('./vendors/push/pushover.ts')).pushover,
  rocketchat: async () => (await import('./vendors/team/rocketchat.ts')).rocketchat,
  signal: async () => (await import('./vendors/signal/simulator.ts')).signal,
  slack: async () => (await import('./vendors/slack/simulator.ts')).slack,
  smpp: async () => (await import('./vendors/smpp/simulator.ts')).smpp,
  telegram: async () => (await import('./vendors/telegram/simulator.ts')).telegram,
  twilio: async () => (await import('./vendors/sms/twilio.ts')).twilio,
  twitter: async () => (await import('./vendors/twitter/simulator.ts')).twitter,
  viber: async () => (await import('./vendors/viber.ts')).viber,
  vonage: async () => (await import('./vendors/sms/vonage.ts')).vonage,
  webex: async () => (await import('./vendors/team/webex.ts')).webex,
  webhook: async () => (await import('./vendors/webhook.ts')).webhook,
  webpush: async () => (await import('./vendors/webpush/simulator.ts')).webpush,
  wechat: async () => (await import('./vendors/wechat/simulator.ts')).wechat,
  whatsapp: async () => (await import('./vendors/meta/whatsapp.ts')).whatsapp,
  xmpp: async () => (await import('./vendors/xmpp/simulator.ts')).xmpp,
  zulip: async () => (await import('./vendors/team/zulip.ts')).zulip,
};

export const SIMULATED_CHANNELS: readonly string[] = Object.keys(LOADERS);

export function isSimulated(channel: string): boolean {
  return Object.hasOwn(LOADERS, channel);
}

/** Undefined if the channel has no simulator. */
export async function loadSimulator(channel: string): Promise<Simulator | undefined> {
  return isSimulated(channel) ? LOADERS[channel]?.() : undefined;
}
