import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { ignored } from '../inbound.ts';
import { readMenuId } from './menu.ts';

/*
 * Parses WeChat's webhook requests.
 * https://developers.weixin.qq.com/doc/offiaccount/Message_Management/Receiving_standard_messages.html
 * https://developers.weixin.qq.com/doc/offiaccount/Message_Management/Receiving_event_pushes.html
 */

interface CommonFields {
  key: string;
  from: { id: string };
  at?: number;
}

/** Parses the fields of a message; undefined when they are not WeChat's. */
export function readWeChat(fields: ReadonlyMap<string, string>) {
  const [from, type] = [fields.get('FromUserName'), fields.get('MsgType')];
  const created = fields.get('CreateTime') ?? '';
  if (from === undefined || type === undefined) return undefined;
  const at = /^\d{1,12}$/.test(created) ? Number(created) * 1000 : undefined;
  const who = { from: { id: from }, ...omitUndefined({ at }) };
  if (type === 'event') {
    const event = fields.get('Event') ?? '';
    // Events have no id; according to WeChat, user and second identify them.
    const key = [from, created, event, fields.get('EventKey') ?? ''].join(':');
    return readEvent(event, { ...who, key }, fields);
  }
  const id = fields.get('MsgId');
  const content = contentOf(type, fields);
  if (id === undefined) return ignored(type, 'incomplete');
  if (!content) return ignored(type, 'no_content');
  return [{ what: 'message' as const, ...who, key: id, id, ...content }];
}

/** The account may write for a minute after anything other than a message. */
const BRIEFLY = { forMs: 60_000 };

function readEvent(event: string, common: CommonFields, fields: ReadonlyMap<string, string>) {
  const value = fields.get('EventKey') ?? '';
  if (event === 'subscribe') return [{ what: 'join' as const, ...common, opens: BRIEFLY }];
  if (event === 'unsubscribe') return [{ what: 'leave' as const, ...common }];
  if (event !== 'CLICK') return ignored(`event.${event}`, 'no_event');
  if (value === '') return ignored(`event.${event}`, 'incomplete');
  const button = { name: value, value };
  return [{ what: 'message' as const, ...common, opens: BRIEFLY, button }];
}

function contentOf(type: string, fields: ReadonlyMap<string, string>) {
  const reference = fields.get('MediaId');
  switch (type) {
    case 'text': {
      const text = fields.get('Content') ?? '';
      // An item of a menu we sent: its label is the text.
      const id = fields.get('bizmsgmenuid');
      if (id === undefined) return { text };
      return { text, button: { name: text, value: readMenuId(id, text) } };
    }
    case 'image':
      return reference === undefined
        ? undefined
        : { media: [{ type: 'Image' as const, reference }] };
    case 'voice': {
      if (reference === undefined) return undefined;
      // WeChat's speech recognition.
      const caption = fields.get('Recognition') || undefined;
      return { media: [{ type: 'Audio' as const, reference, ...omitUndefined({ caption }) }] };
    }
    case 'video':
    case 'shortvideo':
      return reference === undefined
        ? undefined
        : { media: [{ type: 'Video' as const, reference }] };
    case 'location':
      return placeOf(fields);
    case 'link': {
      const lines = [fields.get('Title'), fields.get('Url')].filter(Boolean);
      return lines.length === 0 ? undefined : { text: lines.join('\n') };
    }
    default:
      return undefined;
  }
}

function placeOf(fields: ReadonlyMap<string, string>) {
  const latitude = Number(fields.get('Location_X') || Number.NaN);
  const longitude = Number(fields.get('Location_Y') || Number.NaN);
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) return undefined;
  const name = fields.get('Label') || undefined;
  return { place: { latitude, longitude, ...omitUndefined({ name }) } };
}
