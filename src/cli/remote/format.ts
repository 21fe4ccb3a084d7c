import { styleText } from 'node:util';

import type { Event, MessageDetail, MessageState } from '../../../sdk/src/index.ts';
import { print } from '../print.ts';

/* Formatting of API responses for people. */

type Color = Parameters<typeof styleText>[0];

const COLORS: Readonly<Record<string, Color>> = {
  scheduled: 'gray',
  queued: 'gray',
  sending: 'cyan',
  sent: 'green',
  delivered: 'green',
  read: 'green',
  received: 'blue',
  failed: 'red',
  failing: 'red',
  refused: 'red',
  uncertain: 'yellow',
  expired: 'yellow',
  suppressed: 'yellow',
  deferred: 'yellow',
  rerouted: 'yellow',
  canceled: 'yellow',
  paused: 'yellow',
};

/** Colored by state on a terminal, unless NO_COLOR is set. */
export function colored(state: string, text: string = state): string {
  const color = COLORS[state];
  return color === undefined ? text : styleText(color, text, { stream: process.stdout });
}

/** Removes control characters, so that received text cannot control the terminal. */
export function visible(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ').trim();
}

export function waitingLine({ until, detail }: NonNullable<MessageDetail['waiting']>): string {
  return visible(`Waiting${until ? ` until ${until}` : ''}: ${detail}`);
}

export function costLine(cost: NonNullable<MessageDetail['cost']>): string {
  const { amount, currency, category, billable } = cost;
  const price =
    amount === null
      ? billable
        ? 'charged, amount not reported'
        : 'not charged'
      : `${amount} ${currency ?? ''}`;
  return visible(`Cost: ${price.trim()}${category === null ? '' : ` (${category})`}`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** One event in one line. */
export function eventLine(event: Event): string {
  const [, state = ''] = event.type.split('.');
  const time = event.timestamp.slice(0, 19).replace('T', ' ');
  const head = `${time}  ${String(event.id).padStart(5)}  ${colored(state, event.type.padEnd(21))}`;
  const mark = 'sandbox' in event.data && event.data.sandbox ? '[sandbox] ' : '';
  return `${head}  ${mark}${visible(describe(event))}`.trimEnd();
}

function describe(event: Event): string {
  const { data } = event;
  if ('actor' in data) {
    const { actor, object, generator } = data;
    const content = object.content ?? (object.type === 'Note' ? '' : `[${object.type}]`);
    return `${actor.name ?? actor.id} (${generator.name ?? generator.id}): ${content}`;
  }
  if ('from' in data) {
    const { id, to, route, because } = data;
    return `message ${id} to ${to}: route ${route}, ${because.detail ?? because.code}`;
  }
  if ('to' in data) {
    const error = data.error ? `: ${data.error.detail ?? data.error.code}` : '';
    return `message ${data.id} to ${data.to}${error}`;
  }
  if ('sender' in data) {
    const from = data.sender === null ? '' : ` from ${data.sender}`;
    return `${data.channel} (${data.integration_id}): message${from} skipped, ${data.reason}`;
  }
  if ('current' in data) {
    const { channel, integration_id: id, previous, current } = data;
    return `${channel} (${id}): ${previous.id} is now ${current.id}`;
  }
  if ('contact' in data) {
    return `${data.channel} (${data.integration_id}): ${data.contact.id}, ${data.category}`;
  }
  if ('family' in data) {
    return `${data.family} ${data.address}: ${data.scope} ${data.state} (${data.source})`;
  }
  if ('other_contact_id' in data) {
    return `contact ${data.contact_id}, contact ${data.other_contact_id}`;
  }
  if ('contact_id' in data) return `contact ${data.contact_id}`;
  const where = 'channel' in data ? `${data.channel} (${data.integration_id})` : 'the webhook';
  return data.reason === undefined ? where : `${where}: ${data.detail ?? data.reason}`;
}

/** Whether a message was sent. */
export function isSent(state: MessageState): boolean {
  return state === 'sent' || state === 'delivered' || state === 'read';
}
