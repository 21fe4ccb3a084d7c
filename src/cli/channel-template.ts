/* What `switchboard channel new` writes: a channel that sends text by HTTP, and passes its tests. */

export interface Names {
  /** `acme-chat` */
  name: string;
  /** `acmeChat` */
  variable: string;
  /** `AcmeChat` */
  type: string;
  /** `Acme Chat` */
  title: string;
}

export function namesOf(name: string): Names {
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const type = words.join('');
  const variable = type.charAt(0).toLowerCase() + type.slice(1);
  return { name, variable, type, title: words.join(' ') };
}

export const channelFile = ({
  name,
  variable,
  title,
}: Names) => `import type { FetchAnswer } from '../lib/fetch.ts';
import { textMember } from '../lib/member.ts';
import { retryAfter } from '../lib/retry-after.ts';
import { type Channel, type Context, type Outcome, matching } from './channel.ts';

/*
 * ${title}. https://example.com/docs/send
 * Say here what the vendor's documentation says, with links: limits, how text is counted, what an id is.
 */
export const ${variable}: Channel = {
  name: '${name}',
  title: '${title}',
  docs: 'https://example.com/docs/send',
  credentials: [
    {
      name: 'token',
      label: 'API token',
      help: 'At example.com, open Settings, then API: the token begins with live_.',
      secret: true,
    },
  ],
  needs: [['token']],
  recipient: {
    form: 'a room id, all digits',
    example: '12345',
    check: matching(/^\\d{1,20}$/, 'must be a room id, all digits'),
  },
  limits: [{ what: '2,000 characters of text', link: 'https://example.com/docs/limits' }],
  url: 'https://api.example.com',
  text: { most: 2000, measure: (text) => text.length },
  forms: {
    text: ({ text }, { recipient }) => ({ call: 'messages', body: { room: recipient, text } }),
  },

  async send({ call: path = '', body }, _message, context) {
    const answer = await call(path, body, context);
    const id = textMember(answer?.json(), 'id');
    return answer?.status === 200 && id !== undefined
      ? { outcome: 'sent', id }
      : sort(answer, context);
  },

  async check(context) {
    const answer = await call('me', {}, context);
    const name = textMember(answer?.json(), 'name');
    return name === undefined ? sort(answer, context) : { outcome: 'known', as: name };
  },
};

const TOKEN = /^[\\x21-\\x7e]{1,500}$/;

/** Undefined when there is no token that could be part of a header. */
async function call(
  path: string,
  body: object,
  { credentials: { token = '' }, url, fetch }: Context,
): Promise<FetchAnswer | undefined> {
  if (!TOKEN.test(token)) return undefined;
  return fetch(\`\${url}/\${path}\`, {
    method: 'POST',
    headers: { authorization: \`Bearer \${token}\`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

type Failure = Exclude<Outcome, { outcome: 'sent' }>;

/** What an answer means that is no success. */
function sort(answer: FetchAnswer | undefined, { clock }: Context): Failure {
  if (!answer) {
    return { outcome: 'permanent', blame: 'credentials', detail: 'this is not a token' };
  }
  const { status } = answer;
  const code = textMember(answer.json(), 'error') ?? String(status);
  const detail = \`${title} answered \${code}\`;
  if (status === 429) {
    const seconds = retryAfter(answer.header('retry-after'), clock.now());
    const wait = seconds === undefined ? {} : { seconds };
    return { outcome: 'limited', whom: 'integration', ...wait, detail, code };
  }
  if (status >= 500 || status < 400) {
    return { outcome: 'transient', perhapsSent: status !== 503, detail, code };
  }
  const blame = status === 401 || status === 403 ? 'credentials' : status === 404 ? 'recipient' : 'content';
  return { outcome: 'permanent', blame, detail, code };
}
`;

export const emulatorFile = ({
  type,
  title,
}: Names) => `import { member } from '../../src/lib/member.ts';
import { type HttpPeer, type Reply, openHttp } from './http.ts';

/* ${title}, as far as we use it, as strict as it is documented. https://example.com/docs/send */

export const TOKEN = 'live_fake_token';

export const refusal = (status: number, error: string, headers = {}): Reply => ({
  status,
  headers,
  body: { error },
});

export async function open${type}(): Promise<HttpPeer> {
  return openHttp(({ method, path, headers, json }) => {
    if (method !== 'POST') return refusal(405, 'method');
    if (headers['authorization'] !== \`Bearer \${TOKEN}\`) return refusal(401, 'bad_token');
    if (path === '/me') return { status: 200, body: { name: 'example bot' } };
    if (path !== '/messages') return refusal(404, 'path');
    const [room, text] = [member(json, 'room'), member(json, 'text')];
    if (room === '404') return refusal(404, 'no_such_room');
    if (typeof room !== 'string' || typeof text !== 'string') return refusal(422, 'fields');
    if (text.length > 2000) return refusal(422, 'too_long');
    return { status: 200, body: { id: 'm-1' } };
  });
}
`;

export const testFile = ({
  name,
  variable,
  type,
}: Names) => `import { ${variable} } from '../../src/channels/${name}.ts';
import { TOKEN, open${type}, refusal } from '../emulators/${name}.ts';
import { WITHOUT_ANSWER, WITHOUT_SENSE } from './accidents.ts';
import { testChannel } from './suite.ts';

const SENT = { outcome: 'sent', id: 'm-1' } as const;

testChannel(${variable}, {
  open: open${type},
  credentials: { token: TOKEN },
  recipient: '12345',
  cases: [
    ...['Good morning!', '👩‍👩‍👧 *a* _b_ <c>', 'שלום \\u202eabc\\u202c', 'x'.repeat(2000)].map((text) => ({
      it: \`sends \${JSON.stringify(text.slice(0, 30))} as it is\`,
      message: { text },
      sees: [{ method: 'POST', path: '/messages', json: { room: '12345', text } }],
      outcome: SENT,
    })),
    {
      it: 'sends what is too long in two parts',
      message: { text: \`\${'x'.repeat(2000)} y\` },
      sees: [{ json: { text: 'x'.repeat(2000) } }, { json: { text: 'y' } }],
      outcome: SENT,
    },
    {
      it: 'blames the recipient when there is no such room',
      message: { recipient: '404' },
      outcome: { outcome: 'permanent', blame: 'recipient', code: 'no_such_room' },
    },
    {
      it: 'blames the credentials when the token is wrong',
      credentials: { token: 'live_fake_other' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'bad_token' },
    },
    {
      it: 'asks nobody about a token that can be none',
      credentials: { token: 'fake\\r\\nx: y' },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    },
    {
      it: 'waits as long as it is told',
      answers: [refusal(429, 'slow_down', { 'retry-after': '7' })],
      outcome: { outcome: 'limited', whom: 'integration', seconds: 7, code: 'slow_down' },
    },
    {
      it: 'tries again when the vendor has trouble',
      answers: [refusal(503, 'down')],
      outcome: { outcome: 'transient', perhapsSent: false, code: 'down' },
    },
    ...WITHOUT_ANSWER,
    ...WITHOUT_SENSE,
    {
      it: 'says who it is',
      calls: 'check',
      outcome: { outcome: 'known', as: 'example bot' },
    },
  ],
});
`;

export const guideFile = ({
  title,
}: Names) => `Say here, step by step, how somebody who has no account at ${title} yet gets one, where they find each
credential, and what commonly goes wrong.
`;
