import type { Phone, PolledReceipt } from '../../phone.ts';
import type { PhoneEntry } from '../../shown.ts';
import type { Person } from '../../simulator.ts';
import type { RoomChange, Timeline } from './timeline.ts';

/* The actions of people on the phone, as events of rooms. */

export const SELF = '@switchboard:sandbox.test';
const DIRECT = '!dm-';

/** The room of an address: that of a person is named after them. */
export const roomOf = (address: string): string =>
  address.startsWith('@') ? `${DIRECT}${address.slice(1)}` : address;

/** The address on the phone. */
export const addressOf = (room: string): string =>
  room.startsWith(DIRECT) ? `@${room.slice(DIRECT.length)}` : room;

/** The event id of an action. */
export const eventOf = (number: number): string => `$sandbox-${number}`;

/** The timeline of the phone: the bot is in every room, and a direct room is named after the person. */
export function timelineOf(phone: Phone, people: readonly Person[]): Timeline {
  return {
    members: people,
    isJoined: () => true,
    join: () => true,
    direct(changes) {
      const rooms = [
        ...people.map(({ address }) => roomOf(address)),
        ...changes.map(({ room }) => room),
      ];
      const direct = rooms.filter((room) => room.startsWith(DIRECT));
      return Object.fromEntries(direct.map((room) => [addressOf(room), [room]]));
    },
    setDirect() {},
    // A new account: what people wrote before is still to come.
    begin: () => 0,
    async after(position) {
      const actions = await phone.actionsAfter(position);
      const receipts = await phone.receiptsAfter(position);
      const changes = [
        ...actions.map((action) => changeOf(action, people)),
        ...receipts.map(receiptOf),
      ];
      return changes.toSorted((one, other) => one.position - other.position);
    },
    wait: (position, milliseconds) => phone.awaitAction(position, milliseconds),
    token: (position) => `s${position}`,
    position(token) {
      const [, position] = /^s(\d{1,15})$/.exec(token) ?? [];
      return position === undefined ? undefined : Number(position);
    },
  };
}

const changeOf = (action: PhoneEntry, people: readonly Person[]): RoomChange => ({
  position: action.number,
  room: roomOf(action.person),
  what: 'event',
  content: timelineEvent(action, people),
});

/** https://spec.matrix.org/latest/client-server-api/#receipts */
function receiptOf({ number, message }: PolledReceipt): RoomChange {
  const { vendorId, person, createdAt } = message;
  const event = vendorId.slice(vendorId.lastIndexOf('/$') + 1);
  const content = { [event]: { 'm.read': { [person]: { ts: createdAt } } } };
  return {
    position: number,
    room: roomOf(person),
    what: 'receipt',
    content: { type: 'm.receipt', content },
  };
}

function timelineEvent(
  { number, person, entry, createdAt }: PhoneEntry,
  people: readonly Person[],
) {
  const author = people.find(({ name, isRoom }) => !isRoom && name === entry.sender);
  const sender = person.startsWith('@') ? person : (author?.address ?? '@somebody:sandbox.test');
  const common = { event_id: eventOf(number), sender, origin_server_ts: createdAt };
  if (entry.kind === 'join' || entry.kind === 'leave') {
    const [membership, before] = entry.kind === 'join' ? ['join', 'leave'] : ['leave', 'join'];
    return {
      ...common,
      type: 'm.room.member',
      state_key: sender,
      content: { membership, displayname: author?.name },
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
  reply_to: answeredId,
}: PhoneEntry['entry']) {
  const relation = answeredId !== undefined && {
    'm.relates_to': {
      'm.in_reply_to': { event_id: answeredId.slice(answeredId.lastIndexOf('/$') + 1) },
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
