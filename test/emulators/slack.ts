import { member, textMember } from '../../src/lib/member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './http.ts';

/*
 * Slack's Web API, as far as we use it, as strict as it is documented or stricter: what it would
 * silently ignore is refused here. https://docs.slack.dev/reference/methods
 */
export const TOKEN = 'xoxb-fake-token-of-a-bot';

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
  const messages = new Map<string, string>();
  // Something to edit and to delete.
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
      const fault = unknownField(request, ['channel', 'text']) ?? badText(request);
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
      const fault = unknownField(request, ['channel', 'ts', 'text', 'parse']) ?? badText(request);
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

  return openHttp((request) => {
    const method = methods[request.path.slice(1)];
    if (!method) return slackError('unknown_method');
    if (request.method !== 'POST') return slackError('EMULATOR_not_a_POST');
    if (request.headers['content-type'] !== 'application/json; charset=utf-8') {
      return slackError('invalid_post_type');
    }
    if (request.headers['authorization'] === undefined) return slackError('not_authed');
    if (request.headers['authorization'] !== `Bearer ${TOKEN}`) return slackError('invalid_auth');
    return method(request);
  });
}

function unknownField({ json }: Request, fields: readonly string[]): Reply | undefined {
  if (json === undefined) return slackError('invalid_json');
  if (typeof json !== 'object' || json === null) return slackError('json_not_object');
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  return unknown === undefined ? undefined : slackError(`EMULATOR_unknown_field_${unknown}`);
}

const SPECIAL = /&(?!(?:amp|lt|gt);)|[<>]/;

/** In our messages there are no links and no mentions: what could be one was not escaped. */
function badText({ json }: Request): Reply | undefined {
  const text = member(json, 'text');
  if (typeof text !== 'string' || text.trim() === '') return slackError('no_text');
  if (SPECIAL.test(text)) return slackError('EMULATOR_unescaped');
  return text.length > 40_000 ? slackError('msg_too_long') : undefined;
}
