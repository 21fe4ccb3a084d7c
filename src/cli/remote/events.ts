import { once } from 'node:events';

import type { Event } from '../../../sdk/src/index.ts';
import { EVENT_TYPES } from '../../model/event.ts';
import { CliError, EXIT } from '../exit.ts';
import { print } from '../print.ts';
import { type RemoteOptions, connectApplication } from './connection.ts';
import { eventLine } from './format.ts';

export interface EventsOptions extends RemoteOptions {
  after?: string;
  type?: string;
  limit: number;
}

/** The newest events, oldest first; with --after, the events after that one. */
export async function listEvents(options: EventsOptions): Promise<void> {
  const types = readTypes(options.type);
  const after = readAfter(options.after);
  const client = await connectApplication(options);
  const query = {
    limit: Math.min(options.limit, 1000),
    ...(types && { types }),
    ...(after !== undefined && { after }),
  };
  const events = await client.history(query).first(options.limit);
  for (const event of after === undefined ? events.toReversed() : events) show(event, options);
}

/** Prints events as they happen, one per line, until stopped. */
export async function tail(options: Omit<EventsOptions, 'limit'>): Promise<void> {
  const types = readTypes(options.type);
  const after = readAfter(options.after);
  const client = await connectApplication(options);
  const signal = untilStopped();
  const events = client.realtime({
    signal,
    ...(after !== undefined && { after }),
    ...(types && { types }),
    onRetry: ({ detail }) => void process.stderr.write(`switchboard: ${detail}; retrying\n`),
  });
  if (!options.json) process.stderr.write('Listening. Press Ctrl-C to stop.\n');
  for await (const event of events) show(event, options);
}

/** Aborted when the user stops the command, which is not a failure. */
export function untilStopped(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    void once(process, name).then(() => stopping.abort());
  }
  return stopping.signal;
}

function show(event: Event, { json }: RemoteOptions): void {
  print(json ? JSON.stringify(event) : eventLine(event));
}

function readTypes(text: string | undefined): Event['type'][] | undefined {
  return text?.split(',').map((name) => {
    const type = EVENT_TYPES.find((one) => one === name.trim());
    if (type && type !== 'webhook.test') return type;
    throw new CliError(`--type: unknown event "${name}"; docs/receiving.md lists all`, EXIT.usage);
  });
}

export function readAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new CliError(`--after: expected an event id, a whole number, not "${text}"`, EXIT.usage);
}
