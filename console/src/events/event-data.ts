import type { FeedEvent } from '../api/types.ts';
import { activityLine } from '../messages/activity-text.ts';

/* Reads event data defensively: some of it was written by strangers. */

type UnknownRecord = Readonly<Record<string, unknown>>;

const objectIn = (value: unknown): UnknownRecord =>
  typeof value === 'object' && value !== null ? (value as UnknownRecord) : {};

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** A person or group, by the channel's id. */
export interface Party {
  id: string;
  name: string | undefined;
}

function partyIn(value: unknown): Party | undefined {
  const { id, name } = objectIn(value);
  return typeof id === 'string' ? { id, name: textIn(name) } : undefined;
}

/** The contact of an event, in the form in which messages name it. */
function contactIn({ contact_id: id }: UnknownRecord): Party | undefined {
  return typeof id === 'number' ? { id: `contact:${id}`, name: undefined } : undefined;
}

interface EventFacts {
  /** Message text or error. */
  text: string;
  actor: Party | undefined;
  /** The group in which it happened. */
  group: Party | undefined;
  /** Id of an outgoing message. */
  message: number | undefined;
  to: string | undefined;
  integration: number | undefined;
  channel: string | undefined;
  /** Undefined if events of this type do not say. */
  sandbox: boolean | undefined;
}

export function factsOf({ type, data }: Pick<FeedEvent, 'type' | 'data'>): EventFacts {
  const record = objectIn(data);
  const generator = partyIn(record['generator']);
  const target = objectIn(record['target']);
  const error = objectIn(record['error']);
  const isReport = type.startsWith('message.') && typeof record['id'] === 'number';
  return {
    text: isReport
      ? (textIn(error['detail']) ?? textIn(error['code']) ?? '')
      : (textIn(record['detail']) ?? contentText(record)),
    actor:
      partyIn(record['actor']) ??
      partyIn(record['contact']) ??
      partyIn(record['current']) ??
      (type.startsWith('contact.') ? contactIn(record) : undefined),
    group: target['type'] === 'Group' ? partyIn(target) : undefined,
    message: isReport ? numberIn(record['id']) : undefined,
    to:
      textIn(record['to']) ?? (type.startsWith('consent.') ? textIn(record['address']) : undefined),
    integration:
      numberIn(record['integration_id']) ?? (generator ? Number(generator.id) : undefined),
    channel: textIn(record['channel']) ?? generator?.name,
    sandbox: type.startsWith('integration.') ? undefined : record['sandbox'] === true,
  };
}

/** Text of an activity. A deletion has none: its type says it all. */
function contentText(activity: UnknownRecord): string {
  const { type } = activity;
  return type === 'Create' ? activityLine(activity) : activityLine({ ...activity, type: 'Create' });
}

/** A received file, which the service fetches from the channel on request. */
export interface ReceivedFile {
  path: string;
  mediaType: string | undefined;
  name: string | undefined;
}

export function filesOf({ data }: Pick<FeedEvent, 'data'>): ReceivedFile[] {
  const object = objectIn(objectIn(data)['object']);
  const attachment = Array.isArray(object['attachment']) ? object['attachment'] : [];
  return [object, ...attachment.map(objectIn)].flatMap(({ url, mediaType, name }) => {
    const path = URL.parse(textIn(url) ?? '')?.pathname ?? '';
    return /^\/1\/events\/\d+\/media\/\d+$/.test(path)
      ? [{ path, mediaType: textIn(mediaType), name: textIn(name) }]
      : [];
  });
}
