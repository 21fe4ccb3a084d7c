import { createPrivateKey, sign } from 'node:crypto';

import { SANDBOX_URL } from '../../../model/sandbox/sandbox-url.ts';
import type { PhoneEntry, ShownButton } from '../../shown.ts';
import type { Actor, Person, ReportContext, Reports } from '../../simulator.ts';

/*
 * What Discord reports: presses by webhook, signed with Ed25519, and messages over the gateway.
 * https://docs.discord.com/developers/interactions/receiving-and-responding
 */

/** The first key pair of RFC 8032, section 7.1: public on purpose. */
export const PUBLIC_KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
const SEED = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const PKCS8 = '302e020100300506032b657004220420';
const key = createPrivateKey({
  key: Buffer.from(`${PKCS8}${SEED}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
});

export const BOT = '80351110224678912';
const GUILD = '197038439483310086';
export const CDN = 'cdn.discordapp.com';

/** Discord's epoch. https://docs.discord.com/developers/reference#snowflakes */
const EPOCH = 1_420_070_400_000;

const snowflake = (now: number, number: number) =>
  String((BigInt(now - EPOCH) << 22n) + BigInt(number % (1 << 22)));

export const discordReports: Reports = {
  press({ message, button: { label, value }, ...actor }, context) {
    const [channel, id] = message.vendorId.split(':');
    const keys = (message.entry.buttons ?? []).map(keyOf);
    const interaction = {
      id: snowflake(context.now, context.number),
      application_id: BOT,
      type: 3,
      token: `fake-token-of-an-interaction-${context.number}`,
      version: 1,
      channel_id: channel,
      channel: { id: channel, name: actor.room?.name ?? label },
      ...(actor.room
        ? { guild_id: GUILD, member: { user: userOf(actor.person) } }
        : { user: userOf(actor.person) }),
      data: { component_type: 2, custom_id: value },
      message: { id, channel_id: channel, components: [{ type: 1, components: keys }] },
    };
    return signed(interaction, context);
  },
};

const keyOf = ({ label, value, url }: ShownButton) =>
  url === undefined
    ? { type: 2, style: 2, label, custom_id: value }
    : { type: 2, style: 5, label, url };

function signed(interaction: object, { now }: ReportContext) {
  const body = JSON.stringify(interaction);
  const at = String(Math.floor(now / 1000));
  const signature = sign(null, Buffer.from(`${at}${body}`), key).toString('hex');
  return {
    headers: {
      'content-type': 'application/json',
      'x-signature-ed25519': signature,
      'x-signature-timestamp': at,
    },
    body,
  };
}

const userOf = ({ address, name, userId = `7${address.slice(1)}` }: Person) => ({
  id: userId,
  username: name.toLowerCase().replaceAll(' ', '.'),
  global_name: name,
  discriminator: '0',
});

/** The ids of messages by people, after those of the bot. */
export const writtenId = (number: number, { person, room }: Actor) =>
  `${(room ?? person).address}:${1_300_000_000_000_000_000n + BigInt(number)}`;

/** https://docs.discord.com/developers/resources/message#message-object */
export function messageOf({ vendorId, createdAt, entry }: PhoneEntry, actor: Actor): object {
  const [channel, id] = vendorId.split(':');
  const { text = '', media = [], reply_to: replyTo } = entry;
  const [answeredIn, answered] = replyTo?.split(':') ?? [];
  return {
    id,
    type: typeOf(entry),
    channel_id: channel,
    ...(actor.room && { guild_id: GUILD }),
    author: userOf(actor.person),
    content: text,
    timestamp: new Date(createdAt).toISOString(),
    edited_timestamp: null,
    mentions: [],
    attachments: attachmentsOf(media, channel ?? ''),
    ...(replyTo !== undefined && {
      message_reference: { channel_id: answeredIn, message_id: answered },
    }),
  };
}

/** https://docs.discord.com/developers/resources/message#message-object-message-types */
function typeOf({ kind, reply_to: replyTo }: PhoneEntry['entry']): number {
  if (kind === 'join') return 7;
  return replyTo === undefined ? 0 : 19;
}

/** URLs expire, so an application looks them up again. */
export function attachmentsOf(
  media: NonNullable<PhoneEntry['entry']['media']>,
  channel: string,
): object[] {
  return media.flatMap(({ file, name = 'file', media_type: type }) =>
    file === undefined
      ? []
      : [
          {
            id: file,
            filename: name,
            content_type: type,
            url: `https://${CDN}/attachments/${channel}/${file}/${encodeURIComponent(name)}`,
          },
        ],
  );
}

export const GATEWAY = `${SANDBOX_URL.replace('https:', 'wss:')}/gateway`;
