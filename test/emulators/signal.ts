import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { listMember, member } from '../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, openHttp } from './server/http.ts';

/*
 * Emulates the HTTP daemon of signal-cli for several accounts, as strict as its documentation or stricter: it also
 * rejects unknown parameters. https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc
 */

export const ACCOUNT = '+15550100001';
export const PEERS = {
  number: '+4915112345678',
  uuid: '11111111-2222-4333-8444-555555555555',
  username: 'u:ada_l.01',
  group: 'group:exampleGroupIdOfSignalAAAAAAAAAAAAAAAAAAAAA=',
  unregistered: '+4915199999999',
} as const;
/** The id of the first message sent. */
export const FIRST = '1794700800001';
/** A message sent before. */
export const BEFORE = '1794700000000';
/** A received file. */
export const FILE = { id: 'gXBq7Vbm8fVvZkEm.png', bytes: Buffer.from('a received image') };

export const rpcError = (code: number, message: string, data: unknown = null): Reply => ({
  status: 200,
  body: { jsonrpc: '2.0', error: { code, message, data }, id: '1' },
});

/** The error for a message that reached nobody. */
export const refusedAs = (code: number, type: string, more = {}): Reply =>
  rpcError(code, 'Failed to send message', {
    response: { timestamp: Number(FIRST), results: [resultAs(type, more)] },
  });

export const resultAs = (type: string, more = {}) => ({
  recipientAddress: { uuid: PEERS.uuid, number: PEERS.number, username: null },
  type,
  ...more,
});

export const result = (value: unknown): Reply => ({
  status: 200,
  body: { jsonrpc: '2.0', result: value, id: '1' },
});

const TARGET = ['account', 'recipient', 'groupId', 'username'];
const CONTENT = ['message', 'attachments', 'textStyles', 'noUrgent', 'editTimestamp'];
const PARAMS: Readonly<Record<string, readonly string[]>> = {
  send: [...TARGET, ...CONTENT, 'quoteTimestamp', 'quoteAuthor'],
  remoteDelete: [...TARGET, 'targetTimestamp'],
  getAttachment: [...TARGET, 'id'],
  listAccounts: [],
};

const DATA_URI = /^data:[\w.+-]+\/[\w.+-]+(?:;filename=[^;=,]+)?;base64,[A-Za-z\d+/]+={0,2}$/;
const STYLE = /^(\d+):(\d+):(?:BOLD|ITALIC|STRIKETHROUGH|MONOSPACE|SPOILER)$/;

export async function openSignal(): Promise<HttpPeer> {
  let sent = Number(FIRST);
  return openHttp(({ method, path, headers, json }) => {
    if (path !== '/api/v1/rpc') return { status: 404, body: '' };
    if (method !== 'POST') return { status: 405, body: '' };
    if (headers['content-type'] !== 'application/json') return { status: 415, body: '' };
    const called = String(member(json, 'method'));
    const params = { ...Object(member(json, 'params')) } as Record<string, unknown>;
    const known = PARAMS[called];
    if (member(json, 'jsonrpc') !== '2.0' || member(json, 'id') === undefined) {
      return rpcError(-32_600, 'jsonrpc and id must be set');
    }
    if (!known) return rpcError(-32_601, 'Method not implemented');
    const unknown = Object.keys(params).find((name) => !known.includes(name));
    if (unknown !== undefined) return rpcError(-32_600, `EMULATOR: unknown parameter ${unknown}`);
    if (called === 'listAccounts') return result([{ number: ACCOUNT }]);
    if (params['account'] !== ACCOUNT) return rpcError(-32_602, 'Specified account does not exist');
    const fault = targetFault(params);
    if (fault) return fault;
    if (called === 'getAttachment') {
      return params['id'] === FILE.id
        ? result({ data: FILE.bytes.toString('base64') })
        : rpcError(-1, `Could not find attachment with ID: ${String(params['id'])}`);
    }
    return (
      contentFault(called, params) ?? result({ timestamp: sent++, results: [resultAs('SUCCESS')] })
    );
  });
}

function targetFault(params: Record<string, unknown>): Reply | undefined {
  const given = ['recipient', 'groupId', 'username'].filter((name) => params[name] !== undefined);
  if (given.length !== 1) return rpcError(-1, 'No recipients given');
  if (listMember(params, 'recipient').includes(PEERS.unregistered)) {
    return refusedAs(-1, 'UNREGISTERED_FAILURE');
  }
  const { groupId } = params;
  const isUnknown = groupId !== undefined && `group:${String(groupId)}` !== PEERS.group;
  return isUnknown ? rpcError(-1, `Group not found: ${String(groupId)}`) : undefined;
}

function contentFault(called: string, params: Record<string, unknown>): Reply | undefined {
  const { message = '', editTimestamp, targetTimestamp, quoteTimestamp, quoteAuthor } = params;
  const changed = called === 'remoteDelete' ? targetTimestamp : editTimestamp;
  if (changed !== undefined && changed !== Number(BEFORE)) return rpcError(-1, 'EMULATOR: unknown');
  if (called !== 'send') return undefined;
  const files = listMember(params, 'attachments');
  if (typeof message !== 'string' || (message === '' && files.length === 0)) {
    return rpcError(-1, 'Sending empty message is not allowed');
  }
  if (Buffer.byteLength(message) > 65_536)
    return rpcError(-32_603, 'EMULATOR: the text is too long');
  if (!files.every((file) => DATA_URI.test(String(file)))) {
    return rpcError(-32_603, 'Failed to send message: (AttachmentInvalidException)');
  }
  if ((quoteTimestamp === undefined) !== (quoteAuthor === undefined)) {
    return rpcError(-1, 'Quote author parameter is missing');
  }
  const isStyled = listMember(params, 'textStyles').every((style) => {
    const [, start = '', length = ''] = STYLE.exec(String(style)) ?? [];
    return length !== '' && Number(start) + Number(length) <= message.length;
  });
  return isStyled ? undefined : rpcError(-1, 'Invalid textStyle syntax');
}

/** The event stream of the daemon. */
export async function openSignalEvents() {
  const streams = new Set<ServerResponse>();
  const seen: { url: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    seen.push({ url, authorization: headers.authorization });
    const [path, query] = url.split('?');
    const account = new URLSearchParams(query).get('account');
    if (path !== '/api/v1/events') response.writeHead(404).end();
    else if (account !== ACCOUNT) response.writeHead(400).end();
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      streams.add(response);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const write = (text: string) => {
    for (const stream of streams) stream.write(text);
  };
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    isOpen: () => streams.size > 0,
    write,
    receive: (envelope: object, more: object = {}) =>
      write(`event:receive\ndata:${JSON.stringify({ account: ACCOUNT, envelope, ...more })}\n\n`),
    end: () => {
      for (const stream of streams) stream.end();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
