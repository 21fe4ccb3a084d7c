import { CHANNELS, TOKEN as DISCORD, openDiscord } from '../emulators/discord/api.ts';
import { SPACE, TOKEN as GOOGLE, openGoogleChat } from '../emulators/google-chat.ts';
import { TOKEN as GOTIFY, openGotify } from '../emulators/gotify.ts';
import { GROUPS, TOKEN as GROUPME, openGroupMe } from '../emulators/groupme.ts';
import { PEERS, TOKEN as LINE, openLine } from '../emulators/line.ts';
import { ROOM as MATRIX_ROOM, TOKEN as MATRIX, openMatrix } from '../emulators/matrix/api.ts';
import {
  CHANNEL as MATTERMOST_CHANNEL,
  TOKEN as MATTERMOST,
  openMattermost,
} from '../emulators/mattermost.ts';
import { TOKEN as META } from '../emulators/meta/graph.ts';
import { ACCOUNT_TOKEN, openInstagram } from '../emulators/meta/instagram.ts';
import { openMessenger } from '../emulators/meta/messenger.ts';
import { PEOPLE as PAGE_PEOPLE } from '../emulators/meta/send-api.ts';
import { NUMBER_ID, PEOPLE as WHATSAPP_PEOPLE, openWhatsApp } from '../emulators/meta/whatsapp.ts';
import {
  APP as TEAMS,
  CONVERSATIONS,
  PASSWORD as TEAMS_PASSWORD,
  openTeams,
} from '../emulators/ms-teams.ts';
import { TOKEN as NTFY, TOPIC, openNtfy } from '../emulators/ntfy.ts';
import { TOKEN as PUSHOVER, USER as PUSHOVER_USER, openPushover } from '../emulators/pushover.ts';
import {
  ROOM,
  TOKEN as ROCKET,
  USER as ROCKET_USER,
  openRocketchat,
} from '../emulators/rocketchat.ts';
import type { Request } from '../emulators/server/http.ts';
import { ACCOUNT as SIGNAL, PEERS as SIGNAL_PEERS, openSignal } from '../emulators/signal.ts';
import { TOKEN as SLACK, openSlack } from '../emulators/slack/api.ts';
import { ACCOUNT, NUMBERS, SENDER, TOKEN as TWILIO, openTwilio } from '../emulators/sms/twilio.ts';
import {
  API_KEY,
  API_SECRET,
  APPLICATION,
  PRIVATE_KEY,
  SENDERS,
  NUMBERS as VONAGE_NUMBERS,
  openVonage,
} from '../emulators/sms/vonage.ts';
import { CHATS, TOKEN as TELEGRAM, openTelegram } from '../emulators/telegram.ts';
import {
  KEYS as TWITTER,
  PEOPLE as TWITTER_PEOPLE,
  openTwitter,
} from '../emulators/twitter/api.ts';
import { PEOPLE as VIBER_PEOPLE, TOKEN as VIBER, openViber } from '../emulators/viber.ts';
import { ROOM as WEBEX_ROOM, TOKEN as WEBEX, openWebex } from '../emulators/webex.ts';
import { SECRET as WEBHOOK, openWebhook } from '../emulators/webhook.ts';
import { VAPID, openWebpush, subscription } from '../emulators/webpush.ts';
import { APP as WECHAT, PEOPLE as WECHAT_PEOPLE, openWeChat } from '../emulators/wechat.ts';
import { EMAIL, KEY, openZulip } from '../emulators/zulip.ts';

/** The vendor of a channel that supports images, and a recipient. */
export interface Branch {
  channel: string;
  open(): Promise<{ url: string; seen: readonly Request[]; close(): Promise<void> }>;
  /** Contains the vendor's address where the integration has one. */
  credentials(url: string): Record<string, string>;
  to: string;
  by: 'upload' | 'address';
}

const branch = (
  channel: string,
  open: Branch['open'],
  credentials: Record<string, string> | Branch['credentials'],
  to: string,
  by: Branch['by'],
): Branch => ({
  channel,
  open,
  credentials: typeof credentials === 'function' ? credentials : () => credentials,
  to,
  by,
});

/** All channels whose vendors use HTTP. */
export const BRANCHES: readonly Branch[] = [
  branch('discord', openDiscord, { token: DISCORD }, CHANNELS.text, 'upload'),
  branch('google-chat', openGoogleChat, { token: GOOGLE }, SPACE, 'address'),
  branch('gotify', openGotify, (url) => ({ address: url, token: GOTIFY }), 'ops', 'address'),
  branch('groupme', openGroupMe, { secret: GROUPME }, GROUPS.ours, 'upload'),
  branch('instagram', openInstagram, { token: ACCOUNT_TOKEN }, PAGE_PEOPLE.known, 'address'),
  branch('line', openLine, { token: LINE }, PEERS.user, 'address'),
  branch('matrix', openMatrix, (url) => ({ address: url, token: MATRIX }), MATRIX_ROOM, 'upload'),
  branch(
    'mattermost',
    openMattermost,
    (url) => ({ address: url, token: MATTERMOST }),
    MATTERMOST_CHANNEL,
    'upload',
  ),
  branch('messenger', openMessenger, { token: META }, PAGE_PEOPLE.known, 'address'),
  branch(
    'ms-teams',
    openTeams,
    { token: TEAMS, secret: TEAMS_PASSWORD },
    CONVERSATIONS.person,
    'address',
  ),
  branch('ntfy', openNtfy, (url) => ({ address: url, token: NTFY }), TOPIC, 'address'),
  branch('pushover', openPushover, { token: PUSHOVER }, PUSHOVER_USER, 'upload'),
  branch(
    'rocketchat',
    openRocketchat,
    (url) => ({ address: url, username: ROCKET_USER, token: ROCKET }),
    ROOM,
    'upload',
  ),
  branch(
    'signal',
    openSignal,
    (url) => ({ address: url, username: SIGNAL }),
    SIGNAL_PEERS.number,
    'upload',
  ),
  branch('slack', openSlack, { token: SLACK }, 'C0123456789', 'upload'),
  branch('telegram', openTelegram, { token: TELEGRAM }, CHATS.person, 'address'),
  branch(
    'twilio',
    openTwilio,
    { token: ACCOUNT, secret: TWILIO, username: SENDER },
    NUMBERS.person,
    'address',
  ),
  branch('twitter', openTwitter, TWITTER, TWITTER_PEOPLE.friend, 'upload'),
  branch('viber', openViber, { token: VIBER, username: 'Example' }, VIBER_PEOPLE.known, 'address'),
  branch(
    'vonage',
    openVonage,
    {
      token: API_KEY,
      secret: API_SECRET,
      consumer_key: APPLICATION,
      consumer_secret: PRIVATE_KEY,
      username: SENDERS[0],
    },
    `mms:${VONAGE_NUMBERS.person}`,
    'address',
  ),
  branch('webex', () => openWebex(), { token: WEBEX }, WEBEX_ROOM, 'upload'),
  branch(
    'webhook',
    () => openWebhook(WEBHOOK),
    (url) => ({ address: `${url}/hook`, secret: WEBHOOK }),
    'customer-42',
    'address',
  ),
  branch('webpush', openWebpush, VAPID, subscription(), 'address'),
  branch('wechat', openWeChat, WECHAT, WECHAT_PEOPLE.known, 'upload'),
  branch(
    'whatsapp',
    openWhatsApp,
    { token: META, username: NUMBER_ID },
    WHATSAPP_PEOPLE.known,
    'address',
  ),
  branch(
    'zulip',
    openZulip,
    (url) => ({ address: url, username: EMAIL, token: KEY }),
    'core team/ideas',
    'upload',
  ),
];
