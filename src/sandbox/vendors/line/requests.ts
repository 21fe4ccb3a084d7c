import { member, textMember } from '../../../lib/json/json-member.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { fieldNamesIn } from '../../wire/shape.ts';

/*
 * Checks requests to LINE, at least as strictly as documented: fields that LINE would silently ignore are refused.
 * https://developers.line.biz/en/reference/messaging-api/
 */

export const lineError = (status: number, message: string, details?: readonly object[]): Reply => ({
  status,
  body: { message, ...(details && { details }) },
});

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const invalid = (count: number, property: string, message: string) =>
  lineError(400, `The request body has ${count} error(s)`, [{ message, property }]);

export function badPush({ json, headers }: Request): Reply | undefined {
  if (!UUID.test(headers['x-line-retry-key'] ?? '')) {
    return lineError(400, "Invalid format 'X-Line-Retry-Key'");
  }
  const fault = badMessages(json, headers, ['to', 'messages', 'notificationDisabled']);
  if (fault || /^[UCR][0-9a-f]{32}$/.test(textMember(json, 'to') ?? '')) return fault;
  return lineError(400, "The property, 'to', in the request body is invalid (line: -, column: -)");
}

export function badReply({ json, headers }: Request): Reply | undefined {
  return headers['x-line-retry-key'] === undefined
    ? badMessages(json, headers, ['replyToken', 'messages', 'notificationDisabled'])
    : lineError(400, 'SIMULATOR: replies have no retry key');
}

export function badEndpoint({ json, headers }: Request): Reply | undefined {
  const isJson = headers['content-type'] === 'application/json';
  const isOnlyField = fieldNamesIn(json).join() === 'endpoint';
  const isUrl = /^https:\/\/.{1,490}$/.test(textMember(json, 'endpoint') ?? '');
  return isJson && isOnlyField && isUrl
    ? undefined
    : lineError(400, 'Invalid webhook endpoint URL');
}

function badMessages(
  json: unknown,
  headers: Request['headers'],
  properties: readonly string[],
): Reply | undefined {
  if (headers['content-type'] !== 'application/json')
    return lineError(415, 'Unsupported media type');
  if (typeof json !== 'object' || json === null)
    return lineError(400, 'The request body is not JSON');
  if (Object.keys(json).some((key) => !properties.includes(key))) {
    return invalid(1, 'body', 'Unknown property');
  }
  if (typeof (member(json, 'notificationDisabled') ?? false) !== 'boolean') {
    return invalid(1, 'notificationDisabled', 'Must be a boolean');
  }
  const messages = member(json, 'messages');
  if (!Array.isArray(messages) || messages.length !== 1) return invalid(1, 'messages', 'Size');
  const fault = faultOf(messages[0]);
  return fault === undefined ? undefined : invalid(1, `messages[0].${fault}`, 'Invalid value');
}

const isText = (max: number) => (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' && value.length <= max;
const isUrl = (value: unknown) => isText(2000)(value) && String(value).startsWith('https://');
const isNumber = (value: unknown) => typeof value === 'number';

type Fields = Readonly<Record<string, (value: unknown) => boolean>>;

/** The required properties of each message type. */
const TYPES: Readonly<Record<string, Fields>> = {
  text: { text: isText(5000) },
  image: { originalContentUrl: isUrl, previewImageUrl: isUrl },
  video: { originalContentUrl: isUrl, previewImageUrl: isUrl },
  audio: { originalContentUrl: isUrl, duration: (value) => Number.isInteger(value) },
  template: { altText: isText(400), template: (value) => isCarousel(value) },
  location: {
    title: isText(100),
    address: isText(100),
    latitude: isNumber,
    longitude: isNumber,
  },
};

const COLUMN_FIELDS = new Set(['thumbnailImageUrl', 'text', 'actions']);
const COMMON = new Set(['type', 'quickReply', 'quoteToken']);

/** The name of the invalid property. */
function faultOf(message: unknown): string | undefined {
  const type = textMember(message, 'type') ?? '';
  const fields = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (!fields) return 'type';
  const quoteToken = member(message, 'quoteToken');
  const isQuote = type === 'text' && String(quoteToken).startsWith('fake-');
  if (quoteToken !== undefined && !isQuote) return 'quoteToken';
  const names = fieldNamesIn(message);
  const unknown = names.find((name) => !(name in fields) && !COMMON.has(name));
  if (unknown !== undefined) return unknown;
  const wrong = Object.entries(fields).find(([name, isValid]) => !isValid(member(message, name)));
  if (wrong) return wrong[0];
  const quickReply = member(message, 'quickReply');
  return quickReply === undefined || isQuickReply(quickReply) ? undefined : 'quickReply';
}

function isQuickReply(value: unknown): boolean {
  const items = member(value, 'items');
  if (!Array.isArray(items) || items.length === 0 || items.length > 13) return false;
  return items.every((item) => isAction(member(item, 'action')));
}

/** https://developers.line.biz/en/reference/messaging-api/#action-objects */
function isAction(action: unknown): boolean {
  const names = fieldNamesIn(action).toSorted().join();
  if (!isText(20)(member(action, 'label'))) return false;
  if (textMember(action, 'type') === 'uri') {
    const uri = textMember(action, 'uri') ?? '';
    const isOpened = /^(?:https?:\/\/|line:\/\/|tel:)/.test(uri) && uri.length <= 1000;
    return isOpened && names === 'label,type,uri';
  }
  const [data, displayText] = [member(action, 'data'), member(action, 'displayText')];
  const isPostback = isText(300)(data) && isText(300)(displayText);
  return (
    textMember(action, 'type') === 'postback' &&
    isPostback &&
    names === 'data,displayText,label,type'
  );
}

/** https://developers.line.biz/en/reference/messaging-api/#carousel */
function isCarousel(template: unknown): boolean {
  const columns = member(template, 'columns');
  const names = fieldNamesIn(template).toSorted().join();
  if (textMember(template, 'type') !== 'carousel' || names !== 'columns,type') return false;
  if (!Array.isArray(columns) || columns.length === 0 || columns.length > 10) return false;
  const kinds = new Set(columns.map(kindOf));
  return kinds.size === 1 && !kinds.has(undefined);
}

/** All columns have the same elements. Undefined for an invalid column. */
function kindOf(column: unknown): string | undefined {
  const image = member(column, 'thumbnailImageUrl');
  const hasImage = image !== undefined;
  const actions = member(column, 'actions');
  if (!isText(hasImage ? 60 : 120)(member(column, 'text'))) return undefined;
  if (hasImage && !isUrl(image)) return undefined;
  if (!Array.isArray(actions) || actions.length === 0 || actions.length > 3) return undefined;
  const names = fieldNamesIn(column);
  if (!actions.every(isAction) || names.some((name) => !COLUMN_FIELDS.has(name))) return undefined;
  return `${hasImage} ${actions.length}`;
}
