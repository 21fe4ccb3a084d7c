/*
 * What a channel costs and whom it reaches, for docs/channels/choosing.md. Prices change and depend on the country, so
 * the page links to the vendor's own.
 */

export interface ChannelCost {
  cost: string;
  /** The vendor's price page. Absent for software that you run yourself. */
  prices?: string;
  /** Whom you can write to without being written to first. */
  firstMessage: string;
}

const OPT_IN = 'anyone with a phone number; most countries require consent';
const OWN_SERVER = 'your own server';
const MEMBERS = 'members of the workspace';
const WROTE_FIRST = 'only people who wrote to you';

const paid = (cost: string, prices: string, firstMessage: string): ChannelCost => ({
  cost,
  prices,
  firstMessage,
});

const COSTS: Readonly<Record<string, ChannelCost>> = {
  callr: paid('per message', 'https://www.callr.com/pricing/', OPT_IN),
  discord: { cost: 'free', firstMessage: 'channels that the bot was invited to' },
  email: {
    cost: 'what your mail provider charges',
    firstMessage: 'anyone with an address; most countries require consent for marketing',
  },
  'google-chat': {
    cost: 'included in Google Workspace',
    firstMessage: 'spaces that the app was added to',
  },
  gotify: { cost: OWN_SERVER, firstMessage: 'users of your server' },
  groupme: { cost: 'free', firstMessage: 'groups of the bot' },
  instagram: { cost: 'free', firstMessage: `${WROTE_FIRST}, within the last 24 hours` },
  irc: { cost: 'free', firstMessage: 'anyone on the network' },
  line: paid(
    'a monthly plan with free messages; more per message',
    'https://developers.line.biz/en/docs/messaging-api/pricing/',
    'people who added your account',
  ),
  matrix: { cost: 'free, or your own server', firstMessage: 'anyone who accepts the invitation' },
  mattermost: { cost: OWN_SERVER, firstMessage: 'the channels that the bot is in' },
  messagebird: paid('per message', 'https://bird.com/pricing', OPT_IN),
  messenger: { cost: 'free', firstMessage: `${WROTE_FIRST}, within the last 24 hours` },
  'ms-teams': { cost: 'included in Microsoft 365', firstMessage: 'where the bot is installed' },
  'nextcloud-talk': { cost: OWN_SERVER, firstMessage: 'conversations with the bot' },
  ntfy: { cost: 'free, or your own server', firstMessage: 'everyone who follows the topic' },
  pushover: paid(
    'free to send up to 10,000 a month; the receiver buys the app once',
    'https://pushover.net/faq',
    'people who gave you their user key',
  ),
  rocketchat: { cost: OWN_SERVER, firstMessage: MEMBERS },
  signal: { cost: 'free; you run signal-cli', firstMessage: 'anyone on Signal' },
  slack: { cost: 'included in Slack, also in its free plan', firstMessage: MEMBERS },
  smpp: { cost: 'per message, by your SMS provider', firstMessage: OPT_IN },
  telegram: { cost: 'free', firstMessage: 'people who started your bot; groups with the bot' },
  twilio: paid('per message', 'https://www.twilio.com/en-us/pricing/messaging', OPT_IN),
  twitter: paid(
    'per request',
    'https://docs.x.com/x-api/getting-started/pricing',
    'people whose settings allow direct messages from you',
  ),
  viber: paid(
    'a monthly fee per bot, and per message outside a session',
    'https://help.viber.com/hc/en-us/articles/15247629658525-Bot-commercial-model',
    'people who subscribed to your bot',
  ),
  vonage: paid('per message', 'https://www.vonage.com/communications-apis/pricing/', OPT_IN),
  webex: { cost: 'free', firstMessage: 'anyone with a Webex account, by email address' },
  webhook: { cost: 'your own endpoint', firstMessage: 'whatever your endpoint reaches' },
  webmessenger: { cost: 'free; part of Switchboard', firstMessage: 'visitors of your site' },
  webpush: { cost: 'free', firstMessage: 'browsers that subscribed on your site' },
  wechat: {
    cost: 'free messages; a verified account has a yearly fee',
    firstMessage: 'followers who wrote within the last 48 hours',
  },
  whatsapp: paid(
    'per message, by its category; answers within 24 hours are a category of their own',
    'https://developers.facebook.com/docs/whatsapp/pricing',
    `${OPT_IN}; the first message is an approved template`,
  ),
  xmpp: { cost: 'free, or your own server', firstMessage: 'anyone on a federated server' },
  zulip: { cost: 'free plan, or your own server', firstMessage: 'members of the organization' },
};

export function costOf(channel: string): ChannelCost {
  return COSTS[channel] ?? { cost: 'unknown', firstMessage: 'unknown' };
}
