import { listMember, member, numberMember, textMember } from '../../../lib/json/json-member.ts';
import type { Reply, Request } from '../../wire/request.ts';

/*
 * The JSON-RPC calls of signal-cli's HTTP daemon, checked as its documentation describes them or stricter: unknown
 * parameters are refused. https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc
 */

export const rpcError = (code: number, message: string, data: unknown = null): Reply => ({
  status: 200,
  body: { jsonrpc: '2.0', error: { code, message, data }, id: '1' },
});

export const result = (value: unknown): Reply => ({
  status: 200,
  body: { jsonrpc: '2.0', result: value, id: '1' },
});

/** The result of a message for one recipient. */
export const resultAs = (type: string, more = {}) => ({
  recipientAddress: {
    uuid: '11111111-2222-4333-8444-555555555555',
    number: '+4915112345678',
    username: null,
  },
  type,
  ...more,
});

/** The error for a message that reached nobody. */
export const refusedAs = (code: number, type: string, timestamp: number, more = {}): Reply =>
  rpcError(code, 'Failed to send message', {
    response: { timestamp, results: [resultAs(type, more)] },
  });

export interface Call {
  method: string;
  params: Readonly<Record<string, unknown>>;
}

const TARGET = ['account', 'recipient', 'groupId', 'username'];
const CONTENT = ['message', 'attachments', 'textStyles', 'noUrgent', 'editTimestamp'];
const PARAMS: Readonly<Record<string, readonly string[]>> = {
  send: [...TARGET, ...CONTENT, 'quoteTimestamp', 'quoteAuthor'],
  remoteDelete: [...TARGET, 'targetTimestamp'],
  getAttachment: [...TARGET, 'id'],
  listAccounts: [],
};

const isFields = (value: unknown): value is Call['params'] =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The call in a request, or the daemon's error. */
export function readCall({ method, path, headers, json }: Request, account: string): Call | Reply {
  if (path !== '/api/v1/rpc') return { status: 404, body: '' };
  if (method !== 'POST') return { status: 405, body: '' };
  if (headers['content-type'] !== 'application/json') return { status: 415, body: '' };
  const called = String(member(json, 'method'));
  const given = member(json, 'params');
  const params: Call['params'] = isFields(given) ? given : {};
  const allowed = PARAMS[called];
  if (member(json, 'jsonrpc') !== '2.0' || member(json, 'id') === undefined) {
    return rpcError(-32_600, 'jsonrpc and id must be set');
  }
  if (!allowed) return rpcError(-32_601, 'Method not implemented');
  const unknown = Object.keys(params).find((name) => !allowed.includes(name));
  if (unknown !== undefined) return rpcError(-32_600, `SIMULATOR: unknown parameter ${unknown}`);
  if (called === 'listAccounts') return { method: called, params };
  if (params['account'] !== account) return rpcError(-32_602, 'Specified account does not exist');
  const targets = ['recipient', 'groupId', 'username'].filter((name) => params[name] !== undefined);
  if (targets.length !== 1) return rpcError(-1, 'No recipients given');
  const fault = called === 'send' ? contentFault(params) : undefined;
  return fault ?? { method: called, params };
}

/** The recipient as the channel addresses it. */
export function addressIn({ params }: Call): string {
  const group = textMember(params, 'groupId');
  if (group !== undefined) return `group:${group}`;
  const [username, recipient] = ['username', 'recipient'].map((name) => {
    const [first] = listMember(params, name);
    return typeof first === 'string' ? first : undefined;
  });
  return username === undefined ? (recipient ?? '') : `u:${username}`;
}

export const DATA_URI =
  /^data:([\w.+-]+\/[\w.+-]+)(?:;filename=([^;=,]+))?;base64,([A-Za-z\d+/]+={0,2})$/;
export const STYLE = /^(\d{1,9}):(\d{1,9}):(BOLD|ITALIC|STRIKETHROUGH|MONOSPACE|SPOILER)$/;
const MAX_TEXT_BYTES = 65_536;

function contentFault(params: Call['params']): Reply | undefined {
  const { message = '' } = params;
  const files = listMember(params, 'attachments');
  if (typeof message !== 'string' || (message === '' && files.length === 0)) {
    return rpcError(-1, 'Sending empty message is not allowed');
  }
  if (Buffer.byteLength(message) > MAX_TEXT_BYTES) {
    return rpcError(-32_603, 'SIMULATOR: the text is too long');
  }
  if (!files.every((file) => typeof file === 'string' && DATA_URI.test(file))) {
    return rpcError(-32_603, 'Failed to send message: (AttachmentInvalidException)');
  }
  const quoted = [numberMember(params, 'quoteTimestamp'), textMember(params, 'quoteAuthor')];
  if ((quoted[0] === undefined) !== (quoted[1] === undefined)) {
    return rpcError(-1, 'Quote author parameter is missing');
  }
  const hasValidStyles = listMember(params, 'textStyles').every((style) => {
    const [, start = '', length = ''] = STYLE.exec(String(style)) ?? [];
    return length !== '' && Number(start) + Number(length) <= message.length;
  });
  return hasValidStyles ? undefined : rpcError(-1, 'Invalid textStyle syntax');
}
