/* How rooms, people and events are called. https://spec.matrix.org/latest/appendices/#common-identifier-format */

/** Whether it is a room or somebody. */
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

/** An event's id alone does for what is sent to a room; to change it, the room has to be known. */
export function parseId(id: string, room = ''): { room: string; event: string } {
  const end = id.lastIndexOf('/$');
  return end === -1 ? { room, event: id } : { room: id.slice(0, end), event: id.slice(end + 1) };
}

export const writeId = (room: string, event: string): string => `${room}/${event}`;

/** Where a file is: the server that has it, and what it is called there. */
export function parseMxc(uri: string): { server: string; media: string } | undefined {
  const [, server, media] = /^mxc:\/\/([^/\s]{1,255})\/([\w-]{1,255})$/.exec(uri) ?? [];
  return server === undefined || media === undefined ? undefined : { server, media };
}

/** A homeserver that tells no event id has taken it nevertheless. */
export function sentAs(
  room: string,
  event: string,
): { outcome: 'sent'; id: string } | { outcome: 'sent'; detail: string } {
  if (event !== '') return { outcome: 'sent', id: writeId(room, event) };
  return { outcome: 'sent', detail: 'the homeserver answered 200 or 202 without an event id' };
}
