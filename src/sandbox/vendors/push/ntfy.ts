import { listMember, member, numberMember, textMember } from '../../../lib/json/json-member.ts';
import { readMarkdown } from '../../../lib/rich-text/readers.ts';
import { SANDBOX_URL } from '../../../model/sandbox/sandbox-url.ts';
import type { Phone } from '../../phone.ts';
import { type ShownContent, shownText } from '../../shown.ts';
import type { Simulator } from '../../simulator.ts';
import { fieldsIn } from '../../wire/fields.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { kindOfFile } from '../files.ts';

/*
 * An ntfy server, at least as strict as documented: requests that ntfy would silently change or turn into an
 * attachment are refused. https://docs.ntfy.sh/publish/
 */
export const TOKEN = 'tk_fakefakefakefakefakefakefake';

/** https://github.com/binwiederhier/ntfy/blob/main/server/errors.go */
export const ntfyError = (code: number, error: string): Reply => {
  const http = Math.floor(code / 100);
  return { status: http, body: { code, http, error, link: 'https://ntfy.sh/docs/publish/' } };
};

const invalid = (what: string) => ntfyError(40_024, `SIMULATOR: ${what}`);

export const ntfy: Simulator = {
  channel: 'ntfy',
  credentials: { address: SANDBOX_URL, token: TOKEN },
  people: [
    { address: 'switchboard-alerts', name: 'Alerts' },
    { address: 'backups', name: 'Backups' },
  ],
  magicAddress: (number) => `fault-${number}`,

  recipientOf: ({ method, path, json }) =>
    method === 'POST' && path === '/' ? textMember(json, 'topic') : undefined,

  async respond(request, phone) {
    const { method, path, headers, json, text } = request;
    const { authorization } = headers;
    if (authorization !== undefined && authorization !== `Bearer ${TOKEN}`) {
      return ntfyError(40_101, 'unauthorized');
    }
    if (method === 'GET' && path === '/v1/account') {
      const username = authorization === undefined ? '*' : 'ada';
      return { status: 200, body: { username, role: 'user' } };
    }
    const [, topic, sequence] = /^\/([\w-]{1,64})\/([\w-]{1,64})$/.exec(path) ?? [];
    if (method === 'DELETE' && topic !== undefined && sequence !== undefined && text === '') {
      return remove(topic, sequence, phone);
    }
    if (method !== 'POST' || path !== '/') return ntfyError(40_401, 'page not found');
    if (Buffer.byteLength(text) > 2 * 4096) return ntfyError(41_303, 'JSON body too large');
    return badMessage(json) ?? publish(request, phone);
  },

  refusals: {
    blocked: () => ntfyError(40_301, 'forbidden'),
    unknown: () =>
      ntfyError(50_701, 'cannot publish to UnifiedPush topic without previously active'),
    limited: () => ntfyError(42_901, 'limit reached: too many requests'),
    credentials: () => ntfyError(40_101, 'unauthorized'),
  },

  /** https://docs.ntfy.sh/publish/#limitations */
  limits: [
    { count: 1, seconds: 5, burst: 60, per: 'account', isAdjustable: true },
    {
      count: 250,
      seconds: 24 * 60 * 60,
      per: 'account',
      isAdjustable: true,
      refuse: () => ntfyError(42_908, 'limit reached: daily message quota reached'),
    },
  ],
  reports: {},
};

const idOf = (number: number) => `fakeId${String(number).padStart(6, '0')}`;

async function publish({ json }: Request, phone: Phone): Promise<Reply> {
  const topic = textMember(json, 'topic') ?? '';
  const sequence = textMember(json, 'sequence_id');
  const content = contentOf(json);
  // A message with the sequence id of an earlier one replaces it; an unknown id starts a new sequence.
  const before = sequence === undefined ? undefined : await phone.find(sequence);
  let id = phone.newId();
  if (before?.person === topic) await phone.edit(before, content);
  else id = (await phone.show(topic, content, (number) => sequence ?? idOf(number))).vendorId;
  return {
    status: 200,
    body: {
      id,
      ...(sequence !== undefined && { sequence_id: sequence }),
      time: Math.floor(phone.now() / 1000),
      event: 'message',
      topic,
      message: textMember(json, 'message'),
    },
  };
}

/** https://docs.ntfy.sh/publish/#deleting-notifications */
async function remove(topic: string, sequence: string, phone: Phone): Promise<Reply> {
  const before = await phone.find(sequence);
  if (before?.person === topic) await phone.remove(before);
  const time = Math.floor(phone.now() / 1000);
  const event = { event: 'message_delete', topic, sequence_id: sequence };
  return { status: 200, body: { id: phone.newId(), time, ...event } };
}

const PRIORITIES: Readonly<Record<number, string>> = {
  1: 'min priority',
  2: 'low priority',
  4: 'high priority',
  5: 'max priority',
};

function contentOf(json: unknown): ShownContent {
  const [title, message = ''] = [textMember(json, 'title'), textMember(json, 'message')];
  const [url, name] = [textMember(json, 'attach'), textMember(json, 'filename')];
  const buttons = listMember(json, 'actions').map((action) => ({
    label: textMember(action, 'label') ?? '',
    url: textMember(action, 'url') ?? '',
  }));
  const [click, priority] = [
    textMember(json, 'click'),
    PRIORITIES[numberMember(json, 'priority') ?? 3],
  ];
  const labels = [
    ...(priority === undefined ? [] : [priority]),
    ...listMember(json, 'tags').map(String),
    ...(click === undefined ? [] : [`opens ${click}`]),
  ];
  return {
    ...(title !== undefined && { title }),
    ...(member(json, 'markdown') === true ? shownText(readMarkdown(message)) : { text: message }),
    ...(url !== undefined && {
      media: [{ type: kindOfFile(name ?? url), url, ...(name !== undefined && { name }) }],
    }),
    ...(buttons.length > 0 && { buttons }),
    ...(labels.length > 0 && { labels }),
  };
}

const TYPES: Readonly<Record<string, string>> = {
  topic: 'string',
  title: 'string',
  message: 'string',
  markdown: 'boolean',
  attach: 'string',
  filename: 'string',
  actions: 'object',
  sequence_id: 'string',
  priority: 'number',
  tags: 'object',
  click: 'string',
  icon: 'string',
};

function badMessage(json: unknown): Reply | undefined {
  if (typeof json !== 'object' || json === null) return ntfyError(40_017, 'must be message JSON');
  for (const [field, value] of Object.entries(json)) {
    if (TYPES[field] !== typeof value) return invalid(`${field} is ${typeof value}`);
  }
  if (!/^[-_A-Za-z0-9]{1,64}$/.test(textMember(json, 'topic') ?? '')) {
    return ntfyError(40_009, 'invalid request: topic invalid');
  }
  if (!/^[-_A-Za-z0-9]{1,64}$/.test(textMember(json, 'sequence_id') ?? 'none')) {
    return ntfyError(40_049, 'invalid request: sequence ID invalid');
  }
  const message = textMember(json, 'message') ?? '';
  if (message === '') return invalid('readers would see "triggered"');
  // Version 2.27 answers like this to exactly 4,096 bytes; longer texts become attachments.
  if (Buffer.byteLength(message) === 4096) return ntfyError(50_001, 'internal server error');
  if (Buffer.byteLength(message) > 4096) return invalid('it would become an attachment');
  const attach = textMember(json, 'attach');
  if (attach !== undefined && !/^https?:\/\//.test(attach)) {
    return ntfyError(40_013, 'invalid request: attachment URL is invalid');
  }
  return badLook(json);
}

function badLook(json: object): Reply | undefined {
  const [priority, tags] = [member(json, 'priority') ?? 3, member(json, 'tags') ?? []];
  if (![1, 2, 3, 4, 5].some((level) => level === priority)) {
    return ntfyError(40_007, 'invalid request: priority parameter must be between 1 and 5');
  }
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== 'string' || tag === '')) {
    return invalid('tags');
  }
  for (const name of ['click', 'icon']) {
    if (!/^https?:\/\//.test(textMember(json, name) ?? 'https://')) return invalid(name);
  }
  const actions = member(json, 'actions') ?? [];
  const areFine =
    Array.isArray(actions) &&
    actions.length <= 3 &&
    actions.every(
      (each) =>
        Object.keys(fieldsIn(each)).toSorted().join() === 'action,label,url' &&
        textMember(each, 'action') === 'view' &&
        textMember(each, 'label') !== '' &&
        /^(?:https?|mailto):/.test(textMember(each, 'url') ?? ''),
    );
  return areFine ? undefined : ntfyError(40_018, 'invalid request: actions invalid');
}
