import { member, textMember } from '../../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';
import { areBlocks } from './blocks.ts';
import { slackFiles } from './files.ts';

/*
 * The parts of Slack's Web API that we use, at least as strict as documented: fields that Slack would silently
 * ignore are refused. https://docs.slack.dev/reference/methods
 */
export const TOKEN = 'xoxb-fake-token-of-a-bot';

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
  '#general': 'C0123456789',
  U0123456789: 'D0123456789',
  CARCHIVED01: 'is_archived',
  CFOREIGN001: 'not_in_channel',
};

export const slackError = (error: string): Reply => ({ status: 200, body: { ok: false, error } });

export const rateLimited = (seconds: number): Reply => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  body: { ok: false, error: 'ratelimited' },
});

const ok = (body: object): Reply => ({ status: 200, body: { ok: true, ...body } });

export async function openSlack(): Promise<HttpPeer> {
  let last = 0;
  let rotations = 0;
  const messages = new Map<string, string>();
  // An existing message to edit and delete.
  messages.set('C0123456789:1503435956.000247', 'before');
  const keyOf = ({ json }: Request) => `${textMember(json, 'channel')}:${textMember(json, 'ts')}`;
  const methods: Readonly<Record<string, (request: Request) => Reply>> = {
    'auth.test': () =>
      ok({
        url: 'https://example.slack.com/',
        team: 'Example',
        user: 'bot',
        team_id: 'T1',
        user_id: 'U1',
      }),

    'chat.postMessage'(request) {
      const fields = ['channel', 'text', 'mrkdwn', 'blocks', 'thread_ts', ...OPTIONS];
      const fault =
        unknownField(request, fields) ?? badOptions(request) ?? badText(request, 40_000);
      if (fault) return fault;
      const channel = CONVERSATIONS[textMember(request.json, 'channel') ?? ''];
      if (channel === undefined) return slackError('channel_not_found');
      if (/^[a-z]/.test(channel)) return slackError(channel);
      const text = textMember(request.json, 'text') ?? '';
      const ts = `1794700800.${String(++last).padStart(6, '0')}`;
      messages.set(`${channel}:${ts}`, text);
      return ok({ channel, ts, message: { type: 'message', text, ts, bot_id: 'B1' } });
    },

    'chat.update'(request) {
      const fields = ['channel', 'ts', 'text', 'parse', 'blocks'];
      const fault = unknownField(request, fields) ?? badText(request, 4000);
      if (fault) return fault;
      if (textMember(request.json, 'parse') !== 'none')
        return slackError('EMULATOR_parse_is_not_none');
      if (!messages.has(keyOf(request))) return slackError('message_not_found');
      const text = textMember(request.json, 'text') ?? '';
      messages.set(keyOf(request), text);
      const [channel, ts] = [textMember(request.json, 'channel'), textMember(request.json, 'ts')];
      return ok({ channel, ts, text, message: { text } });
    },

    'chat.delete'(request) {
      const fault = unknownField(request, ['channel', 'ts']);
      if (fault) return fault;
      if (!messages.delete(keyOf(request))) return slackError('message_not_found');
      return ok({
        channel: textMember(request.json, 'channel'),
        ts: textMember(request.json, 'ts'),
      });
    },
  };

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

  const upload = slackFiles();

  return openHttp((request) => {
    const name = request.path.slice(1);
    if (request.method !== 'POST') return slackError('EMULATOR_not_a_POST');
    // The upload URL itself grants access.
    if (name.startsWith('upload/')) return upload.put(request);
    if (name === 'oauth.v2.access') return access(request);
    const method = methods[name] ?? upload.methods[name];
    if (!method) return slackError('unknown_method');
    const type = upload.methods[name] && name !== 'files.delete' ? FORM : JSON_TYPE;
    if (request.headers['content-type'] !== type) return slackError('invalid_post_type');
    const bearer = request.headers['authorization']?.replace(/^Bearer /, '');
    if (bearer === undefined) return slackError('not_authed');
    if (bearer === EXPIRED) return slackError('token_expired');
    if (bearer !== TOKEN && bearer !== current()) return slackError('invalid_auth');
    return method(request);
  });
}

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json; charset=utf-8';

function unknownField({ json }: Request, fields: readonly string[]): Reply | undefined {
  if (json === undefined) return slackError('invalid_json');
  if (typeof json !== 'object' || json === null) return slackError('json_not_object');
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  if (unknown !== undefined) return slackError(`EMULATOR_unknown_field_${unknown}`);
  const thread = member(json, 'thread_ts') ?? '1.000001';
  if (typeof thread !== 'string' || !/^\d+\.\d{6}$/.test(thread)) {
    return slackError('EMULATOR_thread_ts');
  }
  return 'ts' in json && typeof json.ts !== 'string' ? slackError('EMULATOR_ts') : undefined;
}

const OPTIONS = ['unfurl_links', 'unfurl_media', 'reply_broadcast'];

function badOptions({ json }: Request): Reply | undefined {
  const values = OPTIONS.map((name) => member(json, name)).filter((value) => value !== undefined);
  if (values.some((value) => typeof value !== 'boolean')) return slackError('EMULATOR_option');
  const isBroadcast = member(json, 'reply_broadcast') === true;
  const isReply = member(json, 'thread_ts') !== undefined;
  return isBroadcast && !isReply ? slackError('EMULATOR_reply_broadcast') : undefined;
}

const SPECIAL = /&(?!(?:amp|lt|gt);)|[<>]/;

/** Our texts contain no links and no mentions, so anything like one was not escaped. */
function badText({ json, path }: Request, most: number): Reply | undefined {
  const [text, blocks, mrkdwn] = ['text', 'blocks', 'mrkdwn'].map((name) => member(json, name));
  if (typeof text !== 'string' || text.trim() === '') return slackError('no_text');
  if (SPECIAL.test(text)) return slackError('EMULATOR_unescaped');
  if (text.length > most) return slackError('msg_too_long');
  if (blocks !== undefined) return areBlocks(blocks) ? undefined : slackError('invalid_blocks');
  // Text outside of blocks would be parsed as markup.
  const isPlain = path.endsWith('update') ? !/[*_~`]|&gt;/.test(text) : mrkdwn === false;
  return isPlain ? undefined : slackError('EMULATOR_markup');
}
