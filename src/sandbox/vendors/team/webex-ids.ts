/* Webex's ids: URIs in base64. https://developer.webex.com/docs/basics */

export const webexId = (kind: string, name: string) =>
  Buffer.from(`ciscospark://us/${kind}/${name}`).toString('base64url');

/** The name in an id of this kind; undefined for others. */
export function nameIn(kind: string, id: string): string | undefined {
  const uri = Buffer.from(id, 'base64url').toString();
  const prefix = `ciscospark://us/${kind}/`;
  return uri.startsWith(prefix) ? uri.slice(prefix.length) : undefined;
}

const hex = (text: string) => Buffer.from(text).toString('hex');
const unhex = (text: string) => Buffer.from(text, 'hex').toString();

export const ROOM = webexId('ROOM', 'bbceb1ad-43f1-3b58-9147-f14bb0c4d154');
export const PERSON = webexId('PEOPLE', 'f06d71a5-0833-4fa5-a72a-cc89b25eeee2');
export const BOT = webexId('PEOPLE', '249f74d9-db8a-43ca-896b-879ed24055ac');
/** The email address of the first person. */
export const EMAIL = 'julie@example.com';

export const isRoom = (address: string) => nameIn('ROOM', address) !== undefined;

/** The room of a conversation with one person. */
export const directRoomOf = (person: string) => webexId('ROOM', `direct-${hex(person)}`);

/** The person or room on the phone, by any of its addresses. */
export function personOf(address: string): string {
  if (address === EMAIL) return PERSON;
  const direct = nameIn('ROOM', address);
  return direct?.startsWith('direct-') ? unhex(direct.slice(7)) : address;
}

/** The room of a conversation on the phone. */
export const roomOf = (person: string) => (isRoom(person) ? person : directRoomOf(person));

/** The id of a person who is addressed by email or id. */
export const userIdOf = (address: string) =>
  address.includes('@') ? webexId('PEOPLE', hex(address)) : address;

/** The ids of messages and presses contain the user, because the phone does not store who acted. */
export const writtenId = (number: number, user: string) =>
  webexId('MESSAGE', `written-${number}-${nameIn('PEOPLE', user) ?? ''}`);
export const pressId = (number: number, button: number, user: string) =>
  webexId('ATTACHMENT_ACTION', `press-${number}-${button}-${nameIn('PEOPLE', user) ?? ''}`);

/** The author of a message; undefined if it is not a person. */
export function writerIn(id: string): string | undefined {
  const [, name] = /^written-\d+-(.+)$/.exec(nameIn('MESSAGE', id) ?? '') ?? [];
  return name === undefined ? undefined : webexId('PEOPLE', name);
}

/** The person who pressed a button, and the button. */
export function pressIn(id: string): { user: string; button: number } | undefined {
  const [, button, name] =
    /^press-\d+-(\d+)-(.+)$/.exec(nameIn('ATTACHMENT_ACTION', id) ?? '') ?? [];
  if (name === undefined) return undefined;
  return { user: webexId('PEOPLE', name), button: Number(button) };
}
