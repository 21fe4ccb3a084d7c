import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { retryAfter } from '../../lib/http/retry-after.ts';
import { integerMember, member, textMember } from '../../lib/json/json-member.ts';
import { foreignAnswer } from '../answers.ts';

export type DiscordFailure =
  | {
      outcome: 'limited';
      whom: 'integration' | 'recipient';
      seconds?: number;
      detail: string;
      code: string;
    }
  | { outcome: 'transient'; maybeSent: boolean; detail: string; code: string }
  | { outcome: 'permanent'; blame: Blame; detail: string; code: string };

type Blame = 'credentials' | 'recipient' | 'content' | 'unsupported';

/** Discord's error code. */
export const codeOf = (json: unknown) => integerMember(json, 'code');

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const LIMITED = /^(?:20016|20022|20028|20029|30046|40003|40062)$/;
/** Discord refuses with these before it processes the request. */
const NOT_NOW = /^(?:40004|40006|40333|110001|130000)$/;
const BLAMED: Readonly<Record<Blame, RegExp>> = {
  credentials: /^(?:20002|40001|40002|50010|50014|50025)$/,
  recipient:
    /^(?:10003|10004|10013|20024|40007|40058|5000[1378]|50009|50013|50024|50033|50083|50095|50278|160002|160005)$/,
  // Blocked by a filter.
  content: /^(?:20009|200000|240000)$/,
  unsupported: /^(?:10008|50005|50021|50068|50162|520003)$/,
};

/** Classifies a failed response. */
export function sortDiscord(answer: FetchAnswer, now: number): DiscordFailure {
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const json = answer.json();
  const known = codeOf(json);
  const code = known === undefined || known === '0' ? String(status) : known;
  const said = [textMember(json, 'message'), ...faultsIn(member(json, 'errors'))].filter(Boolean);
  const detail = said.join('; ') || `Discord answered ${status} without a reason`;
  if (status === 429 || LIMITED.test(code)) {
    // A limit that is not global concerns the channel.
    const isShared = member(json, 'global') === false && code !== '40003';
    const seconds = waitOf(json) ?? retryAfter(answer.header('retry-after'), now);
    const wait = seconds === undefined ? {} : { seconds };
    return {
      outcome: 'limited',
      whom: isShared ? 'recipient' : 'integration',
      ...wait,
      detail,
      code,
    };
  }
  if (status >= 500 || status < 400 || known === undefined || NOT_NOW.test(code)) {
    // 503 precedes any processing. After another 5xx, or a 2xx that cannot be parsed, the message may have been sent; a
    // 3xx or 4xx without Discord's error means that it was not.
    const surely = status === 503 || (status >= 300 && status < 500) || NOT_NOW.test(code);
    return { outcome: 'transient', maybeSent: !surely, detail, code };
  }
  return { outcome: 'permanent', blame: blameFor(status, code, json), detail, code };
}

function blameFor(status: number, code: string, json: unknown): Blame {
  if (status === 401) return 'credentials';
  const blame = (['credentials', 'recipient', 'content', 'unsupported'] as const).find((each) =>
    BLAMED[each].test(code),
  );
  if (blame) return blame;
  const isAddress = member(json, 'errors', 'channel_id') !== undefined;
  return status === 403 || status === 404 || isAddress ? 'recipient' : 'content';
}

function waitOf(json: unknown): number | undefined {
  const seconds = member(json, 'retry_after');
  return typeof seconds === 'number' && seconds >= 0 ? Math.ceil(seconds) : undefined;
}

/** The faulty fields and their errors. https://docs.discord.com/developers/reference#error-messages */
function faultsIn(errors: unknown, path = ''): string[] {
  if (typeof errors !== 'object' || errors === null) return [];
  return Object.entries(errors).flatMap(([key, value]) => {
    if (key !== '_errors') return faultsIn(value, path === '' ? key : `${path}.${key}`);
    const words: unknown[] = Array.isArray(value) ? value : [];
    return words.map((each) => `${path}: ${textMember(each, 'message') ?? 'is wrong'}`);
  });
}
