import type { PolledReceipt } from '../../phone.ts';
import type { PhoneEntry } from '../../shown.ts';
import type { Person } from '../../simulator.ts';

/* What people did, as /sync returns it. https://spec.matrix.org/latest/client-server-api/#syncing */

export const SELF = '@switchboard:sandbox.test';
const DIRECT = '!dm-';

/** The room of an address: that of a person is named after them. */
export const roomOf = (address: string): string =>
  address.startsWith('@') ? `${DIRECT}${address.slice(1)}` : address;

/** The address on the phone. */
export const addressOf = (room: string): string =>
  room.startsWith(DIRECT) ? `@${room.slice(DIRECT.length)}` : room;

/** The event of what a person did. */
export const eventOf = (number: number): string => `$sandbox-${number}`;

/** What a person did, or a message that they have read. */
type News = PhoneEntry | PolledReceipt;

const addressIn = (news: News) => ('message' in news ? news.message : news).person;

export function syncedSince(
  news: readonly News[],
  people: readonly Person[],
  since: number,
): object {
  const join: Record<string, object> = {};
  for (const room of new Set(news.map((each) => roomOf(addressIn(each))))) {
    const own = news.filter((each) => roomOf(addressIn(each)) === room);
    join[room] = {
      timeline: {
        events: own.flatMap((each) => ('entry' in each ? timelineEvent(each, people) : [])),
        limited: false,
        prev_batch: `s${since}`,
      },
      state: { events: people.filter(({ isRoom }) => !isRoom).map(membershipOf) },
      ephemeral: { events: own.flatMap((each) => ('message' in each ? receiptOf(each) : [])) },
    };
  }
  const persons = [...people.map(({ address }) => address), ...news.map(addressIn)];
  const direct = Object.fromEntries(
    persons.filter((each) => each.startsWith('@')).map((each) => [each, [roomOf(each)]]),
  );
  return {
    next_batch: `s${news.at(-1)?.number ?? since}`,
    account_data: { events: [{ type: 'm.direct', content: direct }] },
    rooms: { join, invite: {} },
  };
}

/** https://spec.matrix.org/latest/client-server-api/#receipts */
function receiptOf({ message: { vendorId, person, createdAt } }: PolledReceipt) {
  const event = vendorId.slice(vendorId.lastIndexOf('/$') + 1);
  return {
    type: 'm.receipt',
    content: { [event]: { 'm.read': { [person]: { ts: createdAt } } } },
  };
}

const membershipOf = ({ address, name }: Person) => ({
  type: 'm.room.member',
  state_key: address,
  content: { membership: 'join', displayname: name },
});

function timelineEvent(
  { number, person, entry, createdAt }: PhoneEntry,
  people: readonly Person[],
) {
  const named = people.find(({ name, isRoom }) => !isRoom && name === entry.sender);
  const sender = person.startsWith('@') ? person : (named?.address ?? '@somebody:sandbox.test');
  const common = { event_id: eventOf(number), sender, origin_server_ts: createdAt };
  if (entry.kind === 'join' || entry.kind === 'leave') {
    const [membership, before] = entry.kind === 'join' ? ['join', 'leave'] : ['leave', 'join'];
    return {
      ...common,
      type: 'm.room.member',
      state_key: sender,
      content: { membership, displayname: named?.name },
      unsigned: { prev_content: { membership: before } },
    };
  }
  return { ...common, type: 'm.room.message', content: contentOf(entry) };
}

const TYPES = { Image: 'm.image', Video: 'm.video', Audio: 'm.audio', Document: 'm.file' } as const;

function contentOf({
  text = '',
  media: [file] = [],
  place,
  reply_to: answered,
}: PhoneEntry['entry']) {
  const relation = answered !== undefined && {
    'm.relates_to': {
      'm.in_reply_to': { event_id: answered.slice(answered.lastIndexOf('/$') + 1) },
    },
  };
  if (file) {
    const { type, file: id, name = 'file', media_type: mimetype } = file;
    const body = text === '' ? name : text;
    const url = `mxc://sandbox.test/${id}`;
    return { msgtype: TYPES[type], body, filename: name, url, info: { mimetype }, ...relation };
  }
  if (place) {
    const geo = `geo:${place.latitude},${place.longitude}`;
    return { msgtype: 'm.location', body: place.name ?? geo, geo_uri: geo };
  }
  return { msgtype: 'm.text', body: text, ...relation };
}
