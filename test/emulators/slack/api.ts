import { textMember } from '../../../src/lib/json/json-member.ts';
import {
  TOKEN,
  rateLimited,
  slack,
  slackError,
} from '../../../src/sandbox/vendors/slack/simulator.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';
import { MemoryPhone } from '../server/memory-phone.ts';
import { SHARED } from './files.ts';

/* The simulator of Slack, with the conversations, files and rotated tokens that tests need. */
export { TOKEN, rateLimited, slackError };

/** An expired token of an app with token rotation. */
export const EXPIRED = 'xoxe.xoxb-1-fake-token';
export const REFRESH = 'xoxe-1-fake-refresh-token';
export const CLIENT = { consumer_key: '1.2', consumer_secret: 'fake-secret-of-the-client' };

/** The result of a refresh. */
export const renewed = (count: number) => ({
  token: `xoxe.xoxb-1-fake-token-${count}`,
  refresh: `xoxe-1-fake-refresh-token-${count}`,
});

export const CONVERSATIONS: Readonly<Record<string, string>> = {
  C0123456789: 'C0123456789',
  G0123456789: 'G0123456789',
  D0123456789: 'D0123456789',
  '#general': 'C0123456789',
  U0123456789: 'D0123456789',
  CARCHIVED01: 'is_archived',
  CFOREIGN001: 'not_in_channel',
};

const ok = (body: object): Reply => ({ status: 200, body: { ok: true, ...body } });

export async function openSlack(): Promise<HttpPeer> {
  let rotations = 0;
  const phone = new MemoryPhone();
  // An existing message and an existing file to edit and delete.
  phone.put('C0123456789', 'C0123456789:1503435956.000247', { text: 'before' });
  phone.put('C0123456789', 'F0BEFORE', { media: [{ type: 'Image', file: 'F0BEFORE' }] });

  /** The current token of an app with token rotation. */
  const current = () => (rotations === 0 ? EXPIRED : renewed(rotations).token);

  const access = ({ form, headers }: Request): Reply => {
    const { grant_type: grant, refresh_token: refresh, ...rest } = form ?? {};
    if (Object.keys(rest).length > 0) return slackError('EMULATOR_unknown_field');
    const { consumer_key: id, consumer_secret: secret } = CLIENT;
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    if (headers['authorization'] !== basic) return slackError('bad_client_secret');
    if (grant !== 'refresh_token') return slackError('invalid_grant_type');
    const expected = rotations === 0 ? REFRESH : renewed(rotations).refresh;
    if (refresh !== expected) return slackError('invalid_refresh_token');
    const { token, refresh: next } = renewed(++rotations);
    return ok({
      access_token: token,
      refresh_token: next,
      expires_in: 43_200,
      token_type: 'bot',
      bot_user_id: 'U1',
      team: { id: 'T1' },
    });
  };

  return openHttp(async (request) => {
    if (request.path === '/oauth.v2.access') return access(request);
    const bearer = request.headers['authorization']?.replace(/^Bearer /, '');
    if (bearer === EXPIRED) return slackError('token_expired');
    const isCurrent = bearer === current();
    const authorization = `Bearer ${TOKEN}`;
    const given = isCurrent
      ? { ...request, headers: { ...request.headers, authorization } }
      : request;
    return badConversation(given) ?? sharedFile(given) ?? slack.respond(given, phone);
  });
}

function badConversation(request: Request): Reply | undefined {
  if (request.headers['authorization'] !== `Bearer ${TOKEN}`) return undefined;
  if (slack.recipientOf(request) === undefined) return undefined;
  const given =
    textMember(request.json, 'channel') ??
    request.form?.['channel_id'] ??
    request.form?.['channels'] ??
    '';
  const channel = CONVERSATIONS[given];
  if (channel === undefined) return slackError('channel_not_found');
  return /^[a-z]/.test(channel) ? slackError(channel) : undefined;
}

/** https://docs.slack.dev/reference/methods/files.info */
function sharedFile({ path, form = {}, headers }: Request): Reply | undefined {
  const { file = '' } = form;
  const url = SHARED[file];
  const isAllowed = headers['authorization'] === `Bearer ${TOKEN}`;
  if (path !== '/files.info' || url === undefined || !isAllowed) return undefined;
  return ok({ file: { id: file, name: 'mill.png', mimetype: 'image/png', url_private: url } });
}
