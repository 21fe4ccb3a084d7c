import { textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';

/** Discord's epoch in milliseconds. https://docs.discord.com/developers/reference#snowflakes */
const EPOCH = 1_420_070_400_000n;

const SNOWFLAKE = /^[1-9]\d{0,19}$/;

/** The creation time encoded in an id. */
export function momentOf(snowflake: string): number | undefined {
  if (!SNOWFLAKE.test(snowflake)) return undefined;
  return Number((BigInt(snowflake) >> 22n) + EPOCH);
}

export function partyOf(user: unknown): { id: string; name?: string } | undefined {
  const id = textMember(user, 'id');
  const name = textMember(user, 'global_name') ?? textMember(user, 'username');
  return id === undefined ? undefined : { id, ...omitUndefined({ name }) };
}

/** Messages to people go to channels only; an event without a server is from a direct message. */
export function placeOf(event: unknown) {
  const [id, name] = [textMember(event, 'channel_id'), textMember(event, 'channel', 'name')];
  if (id === undefined || !SNOWFLAKE.test(id)) return undefined;
  const isShared = textMember(event, 'guild_id') !== undefined;
  return { answerTo: id, ...(isShared && { group: { id, ...omitUndefined({ name }) } }) };
}
