import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { integerMember, member, textMember } from '../../lib/json/json-member.ts';
import { failureClassifier } from '../http-failure.ts';

/** Discord's error code. */
export const codeOf = (json: unknown) => integerMember(json, 'code');

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const LIMITED = /^(?:20016|20022|20028|20029|30046|40003|40062)$/;
/** Discord refuses with these before it processes the request. */
const NOT_NOW = /^(?:40004|40006|40333|110001|130000)$/;

/** Classifies a failed response. */
export const classifyResponse = failureClassifier({
  vendor: 'Discord',
  read(answer) {
    const json = answer.json();
    const code = codeOf(json);
    const faults = [textMember(json, 'message'), ...faultsIn(member(json, 'errors'))];
    return {
      code: code === '0' ? undefined : code,
      message: faults.filter(Boolean).join('; '),
      isVendorFormat: code !== undefined,
    };
  },
  rateLimit({ status, code, answer }) {
    if (status !== 429 && !LIMITED.test(code)) return undefined;
    // A limit that is not global concerns the channel.
    const isShared = member(answer.json(), 'global') === false && code !== '40003';
    return isShared ? 'recipient' : 'integration';
  },
  retrySeconds: waitOf,
  exception: ({ code }) => (NOT_NOW.test(code) ? 'unsent' : undefined),
  codes: {
    credentials: /^(?:20002|40001|40002|50010|50014|50025)$/,
    recipient:
      /^(?:10003|10004|10013|20024|40007|40058|5000[1378]|50009|50013|50024|50033|50083|50095|50278|160002|160005)$/,
    // Blocked by a filter.
    content: /^(?:20009|200000|240000)$/,
    unsupported: /^(?:10008|50005|50021|50068|50162|520003)$/,
  },
  blame({ status, answer }) {
    if (status === 401) return 'credentials';
    const isAddress = member(answer.json(), 'errors', 'channel_id') !== undefined;
    return status === 403 || status === 404 || isAddress ? 'recipient' : 'content';
  },
});

function waitOf(answer: FetchAnswer): number | undefined {
  const seconds = member(answer.json(), 'retry_after');
  return typeof seconds === 'number' && seconds >= 0 ? Math.ceil(seconds) : undefined;
}

/** The faulty fields and their errors. https://docs.discord.com/developers/reference#error-messages */
function faultsIn(errors: unknown, path = ''): string[] {
  if (typeof errors !== 'object' || errors === null) return [];
  return Object.entries(errors).flatMap(([key, value]) => {
    if (key !== '_errors') return faultsIn(value, path === '' ? key : `${path}.${key}`);
    const messages: unknown[] = Array.isArray(value) ? value : [];
    return messages.map((each) => `${path}: ${textMember(each, 'message') ?? 'is wrong'}`);
  });
}
