import type { ImapPeer } from './imap.ts';

/** Puts the email into the mailbox and expects it to be fetched once. */
export function deliverEmail(peer: ImapPeer, uid: number, text: string): void {
  const done = '$tag OK done\r\n';
  const size = Buffer.byteLength(text);
  for (const says of [
    `* 1 FETCH (UID ${uid} RFC822.SIZE ${size} INTERNALDATE "17-Jul-2026 02:44:25 -0700")\r\n`,
    `* 1 FETCH (BODY[] {${size}}\r\n${text} UID ${uid})\r\n`,
  ]) {
    peer.next({ to: 'UID FETCH', says: says + done });
  }
  peer.next({ to: 'UID SEARCH', says: `* SEARCH ${uid}\r\n${done}` });
}
