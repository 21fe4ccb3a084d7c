import { member, textMember } from '../../../lib/json/json-member.ts';
import { gsmLength } from '../../../lib/text/gsm.ts';
import type { Phone } from '../../phone.ts';
import type { Simulator } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { CHANNEL, KEY, WORKSPACE, birdError, birdReports, birdTo, respondAsBird } from './bird.ts';

/*
 * MessageBird's classic SMS API and its successor Bird, which the sandbox uses. At least as strict as documented:
 * fields that they would silently ignore are refused. https://developers.messagebird.com/api/sms-messaging/
 */
export const CLASSIC_KEY = 'fake-live-access-key';

export const messageBirdError = (
  status: number,
  code: number,
  description: string,
  parameter: string | null = null,
): Reply => ({ status, body: { errors: [{ code, description, parameter }] } });

const invalid = (parameter: string, why = 'is invalid') =>
  messageBirdError(422, 10, `${parameter} ${why}`, parameter);

/** Paths of Bird; the classic API has others. */
const isOfBird = ({ path }: Request) => /^\/workspaces\/|^https:/.test(path);

export const messagebird: Simulator = {
  channel: 'messagebird',
  limits: { none: 'Bird documents no rate of messages' },
  credentials: {
    token: KEY,
    consumer_key: WORKSPACE,
    address: CHANNEL,
    secret: 'fake-signing-key-of-a-webhook',
  },
  hosts: ['media.api.bird.com'],
  people: [
    { address: '31612345678', name: 'Ada Example' },
    { address: '31612345679', name: 'Grace Example' },
  ],
  magicAddress: (number) => `15005550${number}`,
  receipts: ['delivered', 'failed'],

  recipientOf(request) {
    if (isOfBird(request)) return birdTo(request);
    const [to] = recipientsOf(request.json);
    const isSent = request.method === 'POST' && request.path === '/messages';
    return isSent && typeof to === 'string' ? to : undefined;
  },

  respond: (request, phone) =>
    isOfBird(request) ? respondAsBird(request, phone) : respondAsClassic(request, phone),

  refusals: {
    blocked: () => birdError(422, 'InvalidPayload', 'The recipient has opted out'),
    unknown: () =>
      birdError(422, 'InvalidPayload', 'The request did not pass validation', {
        '.receiver.contacts.0.identifierValue': ['is not a valid phone number'],
      }),
    limited: (seconds) => ({
      ...birdError(429, 'TooManyRequests', 'Rate limit exceeded'),
      headers: { 'retry-after': String(seconds) },
    }),
    credentials: () => birdError(401, 'Unauthorized', 'The access key is not valid'),
  },

  reports: birdReports,
};

const FIELDS = ['originator', 'recipients', 'body', 'datacoding', 'reference', 'reportUrl'];
const OPTIONS = ['validity', 'type'];

async function respondAsClassic(request: Request, phone: Phone): Promise<Reply> {
  const { method, path, headers, json } = request;
  if (headers['authorization'] !== `AccessKey ${CLASSIC_KEY}`) {
    const description = 'Request not allowed (incorrect access_key)';
    return messageBirdError(401, 2, description, 'access_key');
  }
  if (method === 'GET' && path === '/balance') {
    return { status: 200, body: { payment: 'prepaid', type: 'credits', amount: 9.2 } };
  }
  if (method !== 'POST' || path !== '/messages') {
    return messageBirdError(404, 20, `SIMULATOR: ${method} ${path}`);
  }
  const fault = badMessage(request);
  if (fault) return fault;
  const recipient = String(recipientsOf(json)[0]);
  const { vendorId: id } = await phone.show(
    recipient,
    { text: textMember(json, 'body') ?? '' },
    (number) => `e8077d803532c0b5937c639b6021${String(number).padStart(4, '0')}`,
  );
  const item = { recipient: Number(recipient), status: 'sent' };
  return {
    status: 201,
    body: { id, direction: 'mt', type: 'sms', recipients: { totalCount: 1, items: [item] } },
  };
}

function recipientsOf(json: unknown): readonly unknown[] {
  const recipients = member(json, 'recipients');
  return Array.isArray(recipients) ? recipients : [];
}

function badMessage({ json, headers }: Request): Reply | undefined {
  if (headers['content-type'] !== 'application/json') return invalid('SIMULATOR', 'content type');
  if (typeof json !== 'object' || json === null) return messageBirdError(400, 21, 'Bad request');
  const unknown = Object.keys(json).find((field) => ![...FIELDS, ...OPTIONS].includes(field));
  if (unknown !== undefined) return invalid(unknown, 'is unknown (SIMULATOR)');
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
