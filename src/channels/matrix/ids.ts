/* Ids of rooms, users and events. https://spec.matrix.org/latest/appendices/#common-identifier-format */

/** Whether it is a room or a user. */
export function isAddress(id: string): boolean {
  return (
    Buffer.byteLength(id) <= 255 &&
    (/^![^\s\p{Cc}]{1,254}$/u.test(id) || /^@[^\s:\p{Cc}]{1,253}:[^\s\p{Cc}]{1,253}$/u.test(id))
  );
}

/** https://spec.matrix.org/latest/appendices/#event-ids */
export function isEvent(id: string): boolean {
  return /^\$[^\s\p{Cc}]{1,254}$/u.test(id);
}

/** An event id is enough to refer to it in a room; editing it requires the room id too. */
export function parseId(id: string, room = ''): { room: string; event: string } {
  const end = id.lastIndexOf('/$');
  return end === -1 ? { room, event: id } : { room: id.slice(0, end), event: id.slice(end + 1) };
}

export const writeId = (room: string, event: string): string => `${room}/${event}`;

/** The server and id of an uploaded file. */
export function parseMxc(uri: string): { server: string; media: string } | undefined {
  const [, server, media] =
    /^mxc:\/\/(?!\.{1,2}\/)([^/\s]{1,255})\/([\w-]{1,255})$/.exec(uri) ?? [];
  return server === undefined || media === undefined ? undefined : { server, media };
}

/** A homeserver that returns no event id has accepted the event nevertheless. */
export function sentAs(
  room: string,
  event: string,
): { outcome: 'sent'; id: string } | { outcome: 'sent'; detail: string } {
  if (event !== '') return { outcome: 'sent', id: writeId(room, event) };
  return { outcome: 'sent', detail: 'the homeserver answered 200 or 202 without an event ID' };
}
