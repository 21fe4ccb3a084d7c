import { textMember } from '../../src/lib/json/json-member.ts';
import { replyTokenOf } from '../../src/sandbox/vendors/line/events.ts';
import { lineError } from '../../src/sandbox/vendors/line/requests.ts';
import { TOKEN, line } from '../../src/sandbox/vendors/line/simulator.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of LINE, with the people and tokens that tests need, and with ids that can be foretold. */
export { CHANNEL, SECRET, TOKEN } from '../../src/sandbox/vendors/line/simulator.ts';
export { lineError };

const hex = (kind: string, digit: string) => kind + digit.repeat(32);
export const PEERS = {
  user: hex('U', '4'),
  group: hex('C', '4'),
  room: hex('R', '4'),
  unknown: hex('U', '0'),
} as const;

export const QUOTE = 'fake-IStG5h1Tz7bsH6xinEQtKQ9IdtcN5wLE15-LwtIDCEY_q';

export interface LinePeer extends HttpPeer {
  /** Revokes all issued tokens. */
  expire(): void;
  /** Makes a reply token valid once, or invalid. */
  grant(replyToken: string): void;
  spend(replyToken: string): void;
}

export async function openLine(): Promise<LinePeer> {
  const phone = new MemoryPhone();
  let issued = 0;
  let endpoint = '';
  let replies = 0;
  const tokens = new Set([TOKEN]);
  const granted = new Set<string>();
  /** The position of each message, by the simulator's id. */
  const ids = new Map<string, bigint>();

  const answer = async (request: Request): Promise<Reply> => {
    const { path, method, json } = request;
    if (path === '/v2/bot/channel/webhook/endpoint' && method === 'GET') {
      return { status: 200, body: { endpoint, active: endpoint.includes('switchboard') } };
    }
    if (textMember(json, 'to') === PEERS.unknown) return lineError(400, 'Failed to send messages');
    const replyToken = textMember(json, 'replyToken');
    const reply = await line.respond(
      replyToken !== undefined && granted.delete(replyToken)
        ? {
            ...request,
            json: { ...Object(json), replyToken: replyTokenOf(PEERS.user, phone.now(), ++replies) },
          }
        : request,
      phone,
    );
    if (path.endsWith('/endpoint') && reply.status === 200) {
      endpoint = textMember(json, 'endpoint') ?? '';
    }
    return reply;
  };

  const peer = await openHttp(async (request) => {
    if (request.path === '/oauth2/v3/token') {
      const reply = await line.respond(request, phone);
      if (reply.status !== 200) return reply;
      const token = `fake-token-${++issued}`;
      tokens.add(token);
      return { status: 200, body: { ...Object(reply.body), access_token: token } };
    }
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '') ?? [];
    const known = tokens.has(token) ? `Bearer ${TOKEN}` : 'Bearer none';
    const headers = { ...request.headers, authorization: known };
    return renamed(await answer({ ...request, headers }), ids);
  });
  return Object.assign(peer, {
    expire: () => tokens.clear(),
    grant: (replyToken: string) => void granted.add(replyToken),
    spend: (replyToken: string) => void granted.delete(replyToken),
  });
}

const BEFORE = 461_230_966_842_064_896n;

/** Counts the ids of messages, and gives all the same quote token. */
function renamed(reply: Reply, ids: Map<string, bigint>): Reply {
  const id = textMember(reply.body, 'sentMessages', '0', 'id');
  if (id === undefined) return reply;
  const number = ids.get(id) ?? BEFORE + BigInt(ids.size + 1);
  ids.set(id, number);
  const isQuoted = textMember(reply.body, 'sentMessages', '0', 'quoteToken') !== undefined;
  const sent = { id: String(number), ...(isQuoted && { quoteToken: QUOTE }) };
  return { ...reply, body: { ...Object(reply.body), sentMessages: [sent] } };
}
