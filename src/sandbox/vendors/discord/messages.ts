import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import { readMarkdown } from '../../../lib/rich-text/readers.ts';
import type { Phone } from '../../phone.ts';
import { type ShownButton, type ShownContent, type ShownMedia, shownText } from '../../shown.ts';
import { fieldsIn } from '../../wire/fields.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { kindOfFile } from '../files.ts';

/*
 * Discord's messages, at least as strict as documented: fields that Discord would silently ignore are refused.
 * https://docs.discord.com/developers/resources/message
 */

export const discordError = (status: number, code: number, message: string, more = {}): Reply => ({
  status,
  body: { message, code, ...more },
});

export const badForm = (field: string, code: string, message: string): Reply =>
  discordError(400, 50035, 'Invalid Form Body', {
    errors: { [field]: { _errors: [{ code, message }] } },
  });

const CREATE = [
  'content',
  'nonce',
  'enforce_nonce',
  'embeds',
  'allowed_mentions',
  'message_reference',
  'components',
  'flags',
  'attachments',
  'tts',
];
const EDIT = ['content', 'embeds', 'allowed_mentions', 'components', 'flags', 'attachments'];

/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
const SUPPRESS_EMBEDS = 1 << 2;
const SUPPRESS_NOTIFICATIONS = 1 << 12;
const IS_COMPONENTS_V2 = 1 << 15;
const EDITED_FLAGS = SUPPRESS_EMBEDS | IS_COMPONENTS_V2;

export function badNewMessage(request: Request): Reply | undefined {
  const fault =
    badMessage(request, CREATE) ?? badFlags(request, EDITED_FLAGS | SUPPRESS_NOTIFICATIONS);
  if (fault) return fault;
  const nonce = textMember(request.json, 'nonce') ?? '';
  const isEnforced =
    nonce !== '' && nonce.length <= 25 && member(request.json, 'enforce_nonce') === true;
  if (isEnforced) return undefined;
  return badForm('nonce', 'SIMULATOR_NONCE', 'There is no nonce, or it is not enforced.');
}

export const badEdit = (request: Request): Reply | undefined =>
  badMessage(request, EDIT) ?? badFlags(request, EDITED_FLAGS);

function badMessage(request: Request, fields: readonly string[]): Reply | undefined {
  const { json, headers, parts } = request;
  if (headers['content-type'] !== 'application/json' && !parts) {
    return badForm('_', 'CONTENT_TYPE_INVALID', 'Expected "Content-Type" header to be one of …');
  }
  if (typeof json !== 'object' || json === null) return discordError(400, 50109, 'invalid JSON');
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  if (unknown !== undefined) return badForm(unknown, 'SIMULATOR_FIELD', 'This field is unknown.');
  const parse = member(json, 'allowed_mentions', 'parse');
  if (!Array.isArray(parse) || parse.length > 0) {
    return badForm('allowed_mentions', 'SIMULATOR_MENTIONS', 'Mentions are not disabled.');
  }
  return (
    badFiles(json, parts) ??
    badContent(json, parts !== undefined) ??
    badReference(json) ??
    badComponents(json)
  );
}

const flagsOf = (json: unknown) => Number(member(json, 'flags') ?? 0);

function badFlags({ json }: Request, allowed: number): Reply | undefined {
  const flags = flagsOf(json);
  if ((flags & ~allowed) !== 0) return badForm('flags', 'SIMULATOR_FLAGS', 'Invalid flags.');
  const isSpoken = member(json, 'tts') ?? false;
  if (typeof isSpoken !== 'boolean') return badForm('tts', 'BOOLEAN_TYPE_CONVERT', 'No.');
  // The flag would hide them.
  const hidesImage = (flags & SUPPRESS_EMBEDS) !== 0 && listMember(json, 'embeds').length > 0;
  return hidesImage ? badForm('embeds', 'SIMULATOR_HIDDEN', 'The image is hidden.') : undefined;
}

const isComponentsOnly = (json: unknown) => (flagsOf(json) & IS_COMPONENTS_V2) !== 0;

const MAX_BYTES = 10 * 1024 * 1024;

/** https://docs.discord.com/developers/reference#uploading-files */
function badFiles(json: object, parts: Request['parts']): Reply | undefined {
  const attachments = JSON.stringify(member(json, 'attachments') ?? []);
  if (!parts) {
    return attachments === '[]' ? undefined : badForm('attachments', 'SIMULATOR', 'No such file.');
  }
  const [first, second, ...others] = parts;
  const isPayload = first?.name === 'payload_json' && first.mediaType === 'application/json';
  const isFile = second?.name === 'files[0]' && second.filename !== undefined;
  const named = JSON.stringify([{ id: 0, filename: second?.filename }]);
  if (!isPayload || !isFile || others.length > 0 || attachments !== named) {
    return badForm('attachments', 'SIMULATOR_FILES', 'Files and attachments do not match.');
  }
  return second.bytes.length > MAX_BYTES
    ? discordError(413, 40005, 'Request entity too large')
    : undefined;
}

function badContent(json: object, hasFiles: boolean): Reply | undefined {
  const content = member(json, 'content') ?? '';
  const embeds = member(json, 'embeds') ?? [];
  const components = member(json, 'components') ?? [];
  if (typeof content !== 'string') return badForm('content', 'BASE_TYPE_STRING', 'Not a string.');
  if (content.length > 2000) {
    return badForm('content', 'BASE_TYPE_MAX_LENGTH', 'Must be 2000 or fewer in length.');
  }
  if (!Array.isArray(embeds) || !Array.isArray(components)) {
    return badForm('embeds', 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
  }
  for (const embed of embeds) {
    const url = textMember(embed, 'image', 'url');
    if (url === undefined || !/^https?:\/\//.test(url)) {
      return badForm('embeds', 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
    }
  }
  if (isComponentsOnly(json) && (content !== '' || embeds.length > 0)) {
    return badForm('content', 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', 'Not both.');
  }
  const hasContent =
    content.trim() !== '' || embeds.length > 0 || components.length > 0 || hasFiles;
  return hasContent ? undefined : discordError(400, 50006, 'Cannot send an empty message');
}

function badReference(json: object): Reply | undefined {
  const reference = member(json, 'message_reference');
  if (reference === undefined) return undefined;
  const isId = /^\d{1,20}$/.test(textMember(reference, 'message_id') ?? '');
  const mayFail = member(reference, 'fail_if_not_exists') !== false;
  return isId && !mayFail ? undefined : badForm('message_reference', 'NUMBER_TYPE_COERCE', 'No.');
}

const ROW = 1;
const TEXT = 10;
const GALLERY = 12;

const typeOf = (component: unknown) => Number(member(component, 'type'));

function badComponents(json: object): Reply | undefined {
  const components = listMember(json, 'components');
  const rows = components.filter((each) => typeOf(each) === ROW);
  const types = new Set([ROW, ...(isComponentsOnly(json) ? [TEXT, GALLERY] : [])]);
  const areKnownTypes = components.every((each) => types.has(typeOf(each)));
  const ids = new Set<unknown>();
  const areValidRows = rows.every((row) => {
    const keys = listMember(row, 'components');
    return keys.length >= 1 && keys.length <= 5 && keys.every((key) => isButton(key, ids));
  });
  const isValid = areKnownTypes && areValidRows && rows.length <= 5 && components.length <= 40;
  return isValid ? undefined : badForm('components', 'COMPONENT_INVALID', 'A component is wrong.');
}

/** Link buttons have no custom_id; the others need a unique one. */
function isButton(key: unknown, ids: Set<unknown>): boolean {
  const { type, style, label, url, custom_id: id, ...rest } = fieldsIn(key);
  if (type !== 2 || Object.keys(rest).length > 0) return false;
  if (typeof label !== 'string' || label.length > 80) return false;
  if (style === 5) return typeof url === 'string' && url.length <= 512 && id === undefined;
  const isNew = !ids.has(id);
  ids.add(id);
  return style === 2 && isNew && typeof id === 'string' && id.length <= 100 && url === undefined;
}

/** The shown form of a valid message. Uploaded files are stored. */
export async function contentOf(
  { json, parts = [] }: Request,
  channel: string,
  phone: Phone,
): Promise<ShownContent> {
  const components = listMember(json, 'components');
  const written = [
    textMember(json, 'content') ?? '',
    ...components.flatMap((each) =>
      typeOf(each) === TEXT ? (textMember(each, 'content') ?? '') : [],
    ),
  ].filter((each) => each !== '');
  const media = [...imagesIn(json), ...components.flatMap(galleryIn)];
  for (const { filename: name, mediaType = 'application/octet-stream', bytes } of parts) {
    if (name === undefined) continue;
    const id = phone.newId();
    await phone.putFile({ id, name, mediaType, bytes });
    media.push({ type: kindOfFile(name), file: id, name, media_type: mediaType });
  }
  const buttons = components.flatMap((row) =>
    typeOf(row) === ROW ? listMember(row, 'components').map(buttonOf) : [],
  );
  const reference = textMember(json, 'message_reference', 'message_id');
  const labels = [
    ...((flagsOf(json) & SUPPRESS_NOTIFICATIONS) === 0 ? [] : ['silent']),
    ...(member(json, 'tts') === true ? ['read aloud'] : []),
  ];
  return {
    ...shownText(readMarkdown(written.join('\n'))),
    ...(media.length > 0 && { media }),
    ...(buttons.length > 0 && { buttons }),
    ...(labels.length > 0 && { labels }),
    ...(reference !== undefined && { reply_to: `${channel}:${reference}` }),
  };
}

function imagesIn(json: unknown): ShownMedia[] {
  return listMember(json, 'embeds').map((embed) => ({
    type: 'Image',
    url: textMember(embed, 'image', 'url') ?? '',
  }));
}

function galleryIn(component: unknown): ShownMedia[] {
  if (typeOf(component) !== GALLERY) return [];
  return listMember(component, 'items').map((item) => {
    const url = textMember(item, 'media', 'url') ?? '';
    return { type: 'Video', url, name: textMember(item, 'description') ?? url };
  });
}

/** The value of a button is its id, which comes back when it is pressed. */
function buttonOf(key: unknown): ShownButton {
  const [label = '', url, value] = ['label', 'url', 'custom_id'].map((name) =>
    textMember(key, name),
  );
  if (url !== undefined) return { label, url };
  return { label, ...(value !== undefined && { value }) };
}
