import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { SessionReport } from '../../session.ts';
import { serveHttp } from '../../wire/http-session.ts';
import { ACCOUNT, timeOf } from './account.ts';

/* What signal-cli's daemon receives, as a stream of events. */

/** Serves a connection. `open` gets each stream that a client opened for our account. */
export function serveEvents(
  socket: Socket,
  open: (stream: ServerResponse, request: IncomingMessage) => void,
): void {
  serveHttp(socket, (request, response) => {
    const url = new URL(request.url ?? '', 'http://sandbox.test');
    if (url.pathname !== '/api/v1/events') response.writeHead(404).end();
    else if (url.searchParams.get('account') !== ACCOUNT) response.writeHead(400).end();
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      open(response, request);
    }
  });
}

/** Writes an envelope to a stream. */
export function writeEnvelope(stream: ServerResponse, envelope: object, more: object = {}): void {
  const data = JSON.stringify({ account: ACCOUNT, envelope, ...more });
  stream.write(`event:receive\ndata:${data}\n\n`);
}

/** The envelope of what a person did, or of a receipt. */
export function envelopeOf(report: SessionReport): object {
  const { person, entry } = report;
  const at = timeOf(entry.number);
  const source = { source: person.address, sourceNumber: person.address, sourceName: person.name };
  const content =
    report.kind === 'receipt'
      ? { receiptMessage: receiptOf(report) }
      : { dataMessage: messageOf(report, at) };
  return { ...source, timestamp: at, ...content };
}

function receiptOf({ entry, state }: Extract<SessionReport, { kind: 'receipt' }>) {
  const isRead = state === 'read';
  return { isDelivery: !isRead, isRead, isViewed: false, timestamps: [Number(entry.vendorId)] };
}

function messageOf({ room, entry, message }: SessionReport, timestamp: number) {
  const { text = null, media = [] } = entry.entry;
  const [id, author = ACCOUNT] = message?.vendorId.split(':') ?? [];
  return {
    timestamp,
    message: text,
    ...(room && { groupInfo: { groupId: room.address.slice(6), type: 'DELIVER' } }),
    ...(media.length > 0 && {
      attachments: media.map(({ file, name, media_type: contentType }) => ({
        id: file,
        contentType,
        filename: name,
      })),
    }),
    ...(id !== undefined && { quote: { id: Number(id), authorNumber: author } }),
  };
}
