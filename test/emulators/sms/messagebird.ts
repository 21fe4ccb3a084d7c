import { member, textMember } from '../../../src/lib/json/json-member.ts';
import { gsmLength } from '../../../src/lib/text/gsm.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';

/*
 * The parts of MessageBird's SMS API that we use, at least as strict as documented: fields that MessageBird would
 * silently ignore are refused. https://developers.messagebird.com/api/sms-messaging/
 */
export const KEY = 'fake-live-access-key';

export const messageBirdError = (
  status: number,
  code: number,
  description: string,
  parameter: string | null = null,
): Reply => ({ status, body: { errors: [{ code, description, parameter }] } });

const invalid = (parameter: string, why = 'is invalid') =>
  messageBirdError(422, 10, `${parameter} ${why}`, parameter);

const FIELDS = ['originator', 'recipients', 'body', 'datacoding', 'reference', 'reportUrl'];
const OPTIONS = ['validity', 'type'];

export async function openMessageBird(): Promise<HttpPeer> {
  let last = 0;
  return openHttp((request) => {
    if (request.headers['authorization'] !== `AccessKey ${KEY}`) {
      const description = 'Request not allowed (incorrect access_key)';
      return messageBirdError(401, 2, description, 'access_key');
    }
    const { method, path } = request;
    if (method === 'GET' && path === '/balance') {
      return { status: 200, body: { payment: 'prepaid', type: 'credits', amount: 9.2 } };
    }
    if (method !== 'POST' || path !== '/messages') {
      return messageBirdError(404, 20, `EMULATOR: ${method} ${path}`);
    }
    const fault = badMessage(request);
    if (fault) return fault;
    const id = `e8077d803532c0b5937c639b6021${String(++last).padStart(4, '0')}`;
    const [recipient] = recipientsOf(request.json);
    const item = { recipient: Number(recipient), status: 'sent' };
    return {
      status: 201,
      body: { id, direction: 'mt', type: 'sms', recipients: { totalCount: 1, items: [item] } },
    };
  });
}

function recipientsOf(json: unknown): readonly unknown[] {
  const recipients = member(json, 'recipients');
  return Array.isArray(recipients) ? recipients : [];
}

function badMessage({ json, headers }: Request): Reply | undefined {
  if (headers['content-type'] !== 'application/json') return invalid('EMULATOR', 'content type');
  if (typeof json !== 'object' || json === null) return messageBirdError(400, 21, 'Bad request');
  const unknown = Object.keys(json).find((field) => ![...FIELDS, ...OPTIONS].includes(field));
  if (unknown !== undefined) return invalid(unknown, 'is unknown (EMULATOR)');
  const validity = member(json, 'validity') ?? 1;
  if (!Number.isInteger(validity) || Number(validity) < 1) return invalid('validity');
  if (!['sms', 'flash'].includes(textMember(json, 'type') ?? 'sms')) return invalid('type');
  const originator = textMember(json, 'originator') ?? '';
  if (originator === '') return messageBirdError(422, 9, 'originator is required', 'originator');
  if (!/^(\d{3,17}|[A-Za-z0-9 ]{1,11})$/.test(originator)) return invalid('originator');
  const [recipient, ...others] = recipientsOf(json);
  if (typeof recipient !== 'string' || others.length > 0) {
    return messageBirdError(422, 9, 'no (correct) recipients found', 'recipients');
  }
  if (!/^[1-9]\d{4,14}$/.test(recipient)) return invalid('recipients');
  return badBody(textMember(json, 'body') ?? '', textMember(json, 'datacoding'));
}

function badBody(body: string, datacoding: string | undefined): Reply | undefined {
  if (body.trim() === '') return messageBirdError(422, 9, 'body is required', 'body');
  const length = gsmLength(body);
  if (datacoding !== (length === undefined ? 'unicode' : 'plain')) return invalid('datacoding');
  const isLong = length === undefined ? body.length > 603 : length > 1377;
  return isLong ? invalid('body', 'is too long') : undefined;
}
